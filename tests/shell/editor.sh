#: ed makes a file
ed -s f <<'E'
a
one
two
.
w
q
E
cat f
#: ed prints
printf 'a\nb\nc\n' > f; ed -s f <<'E'
1p
2,3p
,p
$p
.p
E
#: ed prints numbers
printf 'a\nb\nc\n' > f; ed -s f <<'E'
,n
2n
=
.=
2=
E
#: ed says how many bytes
printf 'a\nb\n' > f; ed f <<'E'
w g
r f
,p
Q
E
#: ed deletes
seq 6 > f; ed -s f <<'E'
2d
p
$d
p
1,2d
,p
E
#: ed inserts
seq 2 > f; ed -s f <<'E'
1i
zero
.
$a
three
four
.
0a
first
.
,p
E
#: ed changes
seq 4 > f; ed -s f <<'E'
2,3c
two
three
and more
.
p
,p
E
#: ed addresses
seq 9 > f; ed -s f <<'E'
5
-2p
+p
++p
$-1p
3,5p
/7/p
?2?p
4;+2p
2,p
,3p
E
#: ed searches
printf 'apple\nbanana\ncherry\n' > f; ed -s f <<'E'
/an/p
//p
?rr?p
1;/rr/p
E
#: ed substitutes
printf 'hello world\nhello\n' > f; ed -s f <<'E'
1s/o/0/p
1s/o/0/gp
,s/hello/bye/
,p
s/b\(.\)e/[\1]&/p
s/y/\
/
,p
E
#: ed substitutes the second
printf 'aaaa\n' > f; ed -s f <<'E'
s/a/b/2p
s,b,/,gp
E
#: ed repeats an expression
printf 'abc\nabd\n' > f; ed -s f <<'E'
/b/s//X/p
$s/a/%/p
E
#: ed global
seq 12 > f; ed -s f <<'E'
g/1/p
v/1/p
g/1/s/1/one/
,p
g/^.$/d
,p
E
#: ed global with several commands
seq 3 > f; ed -s f <<'E'
g/2/s/2/two/\
a\
added\
.
,p
E
#: ed turns lines round
seq 4 > f; ed -s f <<'E'
g/^/m0
,p
E
#: ed moves and copies
seq 5 > f; ed -s f <<'E'
1m3
,p
$t0
,p
2,3t$
,p
4,5m0
,p
E
#: ed joins
seq 5 > f; ed -s f <<'E'
1,3j
p
j
,p
E
#: ed marks
seq 5 > f; ed -s f <<'E'
2ka
4kb
'a,'bp
1d
'ap
'a,'bd
,p
E
#: ed undoes
seq 3 > f; ed -s f <<'E'
2d
,p
u
,p
u
,p
g/./s//x/
u
,p
E
#: ed writes a part
seq 5 > f; ed -s f <<'E'
2,3w g
4,5W g
Q
E
cat g
#: ed reads
seq 2 > f; echo x > g; ed -s f <<'E'
1r g
,p
0r g
,p
w
q
E
cat f
#: ed writes and quits
seq 2 > f; ed -s f <<'E'
1d
wq
E
cat f
#: ed shows what can't be printed
printf 'a\tb\\c\001\n' > f; ed -s f <<'E'
l
E
#: ed knows its file
seq 2 > f; ed -s f <<'E'
f
f g
f
w
q
E
cat g
#: ed edits another
seq 2 > f; seq 3 > g; ed -s f <<'E'
e g
,p
f
q
E
#: ed sets with slashes
printf 'a/b\n' > f; ed -s f <<'E'
s/[/]/-/p
s/-/\//p
E
