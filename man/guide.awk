# SPDX-License-Identifier: GPL-2.0-or-later
# Convert docs/guide.md to the manual page flt(7). VERSION: the version of flt.
# It knows headings, paragraphs, fenced blocks, pictures, HTML comments and `code`.

function plain(s) {
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	gsub(/'/, "\\(aq", s)
	gsub(/\^/, "\\(ha", s)
	gsub(/~/, "\\(ti", s)
	return s
}

# Replace `code` by bold text, and protect a period at the beginning of a line.
function prose(s,    parts, n, i, out) {
	n = split(s, parts, "`")
	for (i = 1; i <= n; i++)
		out = out (i % 2 ? "" : "\\fB") plain(parts[i]) (i % 2 ? "" : "\\fR")
	return out ~ /^[.\\]/ ? "\\&" out : out
}

BEGIN {
	printf ".TH flt 7 \"\" \"flt %s\" \"flt guide\"\n", VERSION
	print ".SH NAME\nflt \\- ten questions about the memory of programs"
}
/^<!--/ { comment = 1 }
comment {
	if (/-->/)
		comment = 0
	next
}
/^```/ {
	code = !code
	split(substr($0, 4), word, " ")
	if (code && word[2])
		print ".PP\nFile\n.IR " plain(word[2]) " :"
	print code ? ".PP\n.EX" : ".EE"
	next
}
code { print "\\&" plain($0); next }
/^# / { print ".SH DESCRIPTION"; next }
/^## / { print ".SH " prose(toupper(substr($0, 4))); next }
# Pictures are not installed.
/^!\[/ { next }
/^$/ { print ".PP"; next }
{ print prose($0) }
END { print ".SH NOTES\nThe pictures are in docs/guide.md of the sources.\n.SH SEE ALSO\n.BR fltctl (8)" }
