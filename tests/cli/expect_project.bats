#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The example project of docs/expect: its budget, its Makefile, and its workflow, whose steps run as
# they are written.

# shellcheck disable=SC2154
load expect.bash

# Print the numbers of tests, failures and errors of a file in JUnit XML.
junit() { # FILE
	/usr/bin/python3 -c 'import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()[0]
print(suite.get("tests"), suite.get("failures"), suite.get("errors"))' "$1"
}

@test "the example keeps its budget, and one page more is found with function and line" {
	without_module
	expect "$source/docs/expect/faults.budget" -- "$program"
	[ "$status" = 0 ]
	[[ $output == *"budget kept: 4 kept, 0 broken"* ]]
	expect "$source/docs/expect/faults.budget" -- "$program" more
	[ "$status" = 6 ]
	[[ ${lines[1]} == VERDICT* ]]
	[[ ${lines[2]} =~ ^broken\ +1\ .*minor\(process_batch\)\ ==\ 0 ]]
	[[ ${lines[3]} == *" 1 minor, first at "*" (batch), address 0x"* ]]
	[[ $output == *"process_batch ("*"batch.c:$(grep -n 'pool\[i' "$source/docs/expect/batch.c" | cut -d: -f1))"* ]]
}

# Replace times, threads, addresses and the directory.
plain() {
	sed -E "s/at [0-9.]+ s in thread [0-9]+/at T s in thread N/; s/0x[0-9a-f]+/0xA/; s,($PWD|/src/batch)/,,"
}

@test "README of the example shows the output" {
	without_module
	cp "$source/docs/expect"/* .
	gcc -O2 -g -I"$source/include" -o batch batch.c -pthread
	sed -n '/^    VERDICT/,/^$/s/^    //p' README.md | plain >shown
	[ "$(wc -l <shown)" = 5 ]
	expect -o out faults.budget -- ./batch more
	head -n 5 out | plain | diff shown -
}

@test "Makefile of the example: make check and make update" {
	without_module
	cp "$source/docs/expect"/* .
	make -s check FLTCTL="$FLTCTL" CPPFLAGS=-I"$source/include"
	[ "$(junit faults.xml)" = "5 0 0" ]
	run make -s update FLTCTL="$FLTCTL" CPPFLAGS=-I"$source/include"
	[ "$status" = 0 ]
	[[ $output == *"wrote faults.budget from 10 runs"* ]]
	make -s check FLTCTL="$FLTCTL" CPPFLAGS=-I"$source/include"
}

# Build the package flt with two of its files.
package() {
	local root=$dir/package
	[ "$(grep -cx -e usr/bin/fltctl -e usr/include/flt_mark.h "$source/debian/flt.install")" = 2 ]
	mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/include"
	printf 'Package: flt\nVersion: 1\nArchitecture: amd64\nMaintainer: nobody\nDescription: none\n' \
		>"$root/DEBIAN/control"
	cp "$FLTCTL" "$root/usr/bin/fltctl"
	cp "$source/include/flt_mark.h" "$root/usr/include"
	dpkg-deb -b "$root" vendor/flt_1_amd64.deb >/dev/null
}

# Make the repository of the project in ./repository, with the package that its workflow installs.
# Replace sudo, which has an environment of its own, and apt-get, which unpacks into ./machine.
repository() {
	without_module
	mkdir repository machine stubs
	(
		cd repository || exit
		git init -q
		cp "$source/docs/expect"/* .
		mkdir vendor
		package
		git add .
		git -c user.name=n -c user.email=e commit -q -m "Add the project"
	)
	cat >stubs/sudo <<-END
		#!/bin/sh
		exec env -i HOME=/root CPATH=$dir/machine/usr/include \\
			PATH=$dir/stubs:$dir/machine/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin "\$@"
	END
	cat >stubs/apt-get <<-END
		#!/bin/sh -e
		echo "stub: apt-get \$*"
		[ "\$*" != update ] || exit 0
		[ "\$1 \$2" = "install -y" ]
		shift 2
		for file; do
			# Without a slash it would be the name of a package.
			case \$file in */*.deb) dpkg-deb -x "\$file" $dir/machine ;; *) exit 100 ;; esac
		done
	END
	chmod 755 stubs/*
}

workflow() { # [-x STEP]
	rm -rf workspace artifacts machine/*
	PATH=$dir/stubs:$PATH run /usr/bin/python3 "$source/tests/docs/workflow.py" "$@" \
		repository/ci.yml repository workspace artifacts
	echo "$output"
}

@test "the workflow of the example runs, and fails if the budget is broken" {
	repository
	workflow
	[ "$status" = 0 ]
	[[ $output == *"stub: apt-get install -y"* ]]
	[ "$(junit artifacts/faults/faults.xml)" = "5 0 0" ]
	(
		cd repository || exit
		sed -i 's/pages += argc > 1/pages += 1/' batch.c
		git -c user.name=n -c user.email=e commit -q -a -m "Touch one page more"
	)
	workflow
	[ "$status" = 1 ]
	[ "$(junit artifacts/faults/faults.xml)" = "5 1 0" ]
}

@test "each step of the workflow is needed" {
	! command -v fltctl || skip "fltctl is installed, so the workflow need not install it"
	repository
	mapfile -t steps < <(/usr/bin/python3 -c 'import yaml
for step in yaml.safe_load(open("repository/ci.yml"))["jobs"]["faults"]["steps"]:
    print(step.get("name") or step["uses"])')
	[ ${#steps[@]} = 4 ]
	for step in "${steps[@]:0:3}"; do
		workflow -x "$step"
		[ "$status" != 0 ]
		[[ $output == *"== $step: skipped"* ]]
	done
	workflow -x "${steps[3]}"
	[ ! -e artifacts/faults/faults.xml ]
	# A part that workflow.py does not know is refused.
	sed -i 's/if: always()/if: sometimes()/' repository/ci.yml
	workflow
	[ "$status" = 2 ]
	[[ $output == *"invalid condition 'sometimes()'"* ]]
}
