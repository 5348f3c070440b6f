// SPDX-License-Identifier: GPL-2.0-or-later
/* Heap [MIB] - fill the heap, by default 400 MiB, and read it twice. */
import java.util.ArrayList;
import java.util.List;

public class Heap {
	public static void main(String[] arguments) {
		List<byte[]> pieces = new ArrayList<>();
		long sum = 0;

		int count = 16 * (arguments.length > 0 ? Integer.parseInt(arguments[0]) : 400);

		/* The collector gives larger pieces regions of their own. */
		for (int i = 0; i < count; i++) {
			byte[] piece = new byte[64 << 10];

			java.util.Arrays.fill(piece, (byte) i);
			pieces.add(piece);
		}
		for (int round = 0; round < 2; round++)
			for (byte[] piece : pieces)
				for (int i = 0; i < piece.length; i += 1024)
					sum += piece[i] & 255;
		System.out.println(sum);
	}
}
