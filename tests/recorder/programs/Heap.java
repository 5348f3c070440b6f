// SPDX-License-Identifier: GPL-2.0-or-later
/* Fill 400 MiB of heap, and read it twice. */
import java.util.ArrayList;
import java.util.List;

public class Heap {
	public static void main(String[] arguments) {
		List<byte[]> pieces = new ArrayList<>();
		long sum = 0;

		/* The collector gives larger pieces regions of their own. */
		for (int i = 0; i < 6400; i++) {
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
