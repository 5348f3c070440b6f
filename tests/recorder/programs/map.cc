// SPDX-License-Identifier: GPL-2.0-or-later
// Maps, exceptions and threads.
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
static long work(int k)
{
	std::map<int, std::string> m;
	long sum = 0;
	for (int i = 0; i < 60000; i++) m[i * 7919 % 100003] = std::to_string(i * k);
	for (auto &e : m) sum += e.first * (long)e.second.size();
	try { if (sum) throw std::runtime_error(m.begin()->second); }
	catch (const std::exception &e) { sum += e.what()[0]; }
	return sum;
}
int main()
{
	std::vector<long> r(4);
	std::vector<std::thread> t;
	for (int i = 0; i < 4; i++) t.emplace_back([&r, i] { r[i] = work(i + 1); });
	for (auto &x : t) x.join();
	for (long x : r) std::cout << x << '\n';
}
