// SPDX-License-Identifier: GPL-2.0-or-later
// Maps and lists of strings, used by threads.
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Words {
	static long count(List<String> words, int part) {
		Map<String, Integer> counts = new HashMap<>();
		for (int i = part; i < words.size(); i += 4)
			counts.merge(words.get(i).substring(0, 2), 1, Integer::sum);
		return counts.values().stream().mapToLong(n -> (long) n * n).sum();
	}

	public static void main(String[] args) throws InterruptedException {
		List<String> words = new ArrayList<>();
		for (int i = 0; i < 600000; i++)
			words.add("w" + i * 7919L % 1000003);
		long[] sums = new long[4];
		Thread[] threads = new Thread[4];
		for (int i = 0; i < 4; i++) {
			final int part = i;
			threads[i] = new Thread(() -> sums[part] = count(words, part));
			threads[i].start();
		}
		for (Thread t : threads)
			t.join();
		for (long sum : sums)
			System.out.println(sum);
	}
}
