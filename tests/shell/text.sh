#: wc
printf 'one two\nthree\n' > f; wc f; wc -l f; wc -w f; wc -c f; wc -lc f
#: wc of several
seq 10 > f; seq 200 > g; wc f g; wc -l f g
#: wc of input
seq 10 | wc; seq 10 | wc -l; printf '' | wc -c
#: wc without a last newline
printf 'a b' > f; wc f
#: head
seq 20 > f; head f; head -n 3 f; head -2 f; head -n 0 f
#: head of bytes
seq 20 > f; head -c 5 f; echo; head -c 100 f | wc -c
#: head of several
seq 3 > f; seq 2 > g; head -n 1 f g
#: tail
seq 20 > f; tail f; tail -n 3 f; tail -2 f; tail -n 0 f
#: tail from a line on
seq 5 > f; tail -n +4 f; tail -n +1 f; tail -n +9 f
#: tail of bytes
seq 20 > f; tail -c 5 f; tail -c +45 f
#: tail without a last newline
printf 'a\nb\nc' > f; tail -n 2 f; echo; tail -n 1 f; echo
#: tail of several
seq 3 > f; seq 2 > g; tail -n 1 f g
#: sort
printf 'b\na\nC\nB\n' > f; sort f; sort -r f; sort -f f
#: sort of numbers
printf '10\n9\n-5\n2.5\n2.25\n\nx\n' > f; sort -n f; sort -rn f
#: sort of large numbers
printf '123456789012345678901\n123456789012345678900\n0003\n3\n-0\n0\n' > f; sort -n f
#: sort without doubles
printf 'b\na\nb\na\n' > f; sort -u f; printf '1 x\n01 y\n' | sort -nu
#: sort by a field
printf 'x 3 a\ny 1 b\nz 2 a\n' > f; sort -k 2 f; sort -k 3,3 -k 2n f; sort -k 3,3r f
#: sort by a field of numbers
printf 'a:10\nb:9\nc:100\n' > f; sort -t : -k 2 f; sort -t : -k 2n f; sort -t: -k2,2nr f
#: sort by bytes of a field
printf 'ax1\nbx0\naw2\n' > f; sort -k 1.2,1.2 f; sort -k 1.3 f
#: sort with blanks
printf ' b\na\n  c\n' > f; sort f; sort -b f
#: sort several files
printf 'c\na\n' > f; printf 'b\n' > g; sort f g;
#: sort to a file
printf 'c\na\n' > f; sort -o f f; cat f
#: sort lines that are empty
printf '\nb\n\na\n' | sort
#: sort what has no last newline
printf 'b\na' | sort
#: uniq
printf 'a\na\nb\na\n' > f; uniq f; uniq -c f; uniq -d f; uniq -u f
#: uniq of input
printf 'x\nx\n' | uniq -c; printf '' | uniq
#: grep
printf 'apple\nbanana\ncherry\n' > f; grep an f; grep -v an f; grep -n e f; grep -c a f; grep z f; echo $?
#: grep of several
echo abc > f; echo bcd > g; grep b f g; grep -h b f g; grep -l a f g; grep -c b f g
#: grep -i -w -x
printf 'Word\nword\nwords\na word b\n' > f; grep -i WORD f; echo -; grep -w word f; echo -; grep -x word f
#: grep -q
echo a > f; grep -q a f && echo yes; grep -q b f || echo no; grep a none; echo $?
#: grep -F
printf 'a.c\nabc\n' > f; grep a.c f; echo -; grep -F a.c f
#: grep of several expressions
printf 'a\nb\nc\n' > f; grep -e a -e c f
#: expressions with dots and stars
printf 'ac\nabc\nabbc\nadc\n' > f; grep 'ab*c' f; echo -; grep 'a.c' f; echo -; grep 'a.*c' f
#: expressions with anchors
printf 'abc\nxabc\nabcx\n\n' > f; grep ^abc f; echo -; grep 'abc$' f; echo -; grep -c '^$' f; grep -n '^abc$' f
#: expressions with sets
printf 'a1\nb2\nc]\nd-\n' > f; grep '[ab]' f; echo -; grep '[^a-c]' f; echo -; grep '[]]' f; echo -; grep '[x-]' f; echo -; grep '[[:digit:]]' f
#: expressions with counts
printf 'a\naa\naaa\naaaa\n' > f; grep '^a\{2,3\}$' f; echo -; grep '^a\{3\}$' f; echo -; grep 'a\{3,\}' f
#: expressions with brackets
printf 'abab\nab\nxyxy\n' > f; grep '^\(ab\)*$' f; echo -; grep '\(xy\)\{2\}' f
#: extended expressions
printf 'color\ncolour\ncolr\ncat\ndog\n' > f; grep -E 'colou?r' f; echo -; grep -E '^(cat|dog)$' f; echo -; grep -E 'o+' f; echo -; grep -E 'l{1}' f
#: extended expressions in one another
printf 'ab\nabab\naab\nb\n' > f; grep -E '^(a|ab)+b?$' f; echo -; grep -E '^((a)|(b))*$' f; echo -; grep -E '(^b|^aa)' f
#: basic operators of GNU
printf 'a\nab\nabb\n' > f; grep 'ab\+' f; echo -; grep '^ab\?$' f; echo -; grep 'bb\|^a$' f
#: stars that are stars
printf '*a\na*\n' > f; grep '*a' f; echo -; grep 'a\*' f; echo -; grep '^*a' f
#: cut
printf 'a:b:c\nd:e:f\nnone\n' > f; cut -d: -f2 f; echo -; cut -d: -f1,3 f; echo -; cut -d: -f2- -s f; echo -; cut -c1-3 f
#: cut of tabs
printf 'a\tb\tc\n' | cut -f 2,3; printf 'abcdef\n' | cut -c 2,4-5; printf 'abcdef\n' | cut -c -2
#: tr
echo hello | tr a-z A-Z; echo hello | tr -d l; echo aabbcc | tr -s ab; echo hello | tr el ip; echo 'a b' | tr ' ' '\n'
#: tr of others
echo abc123 | tr -cd '0-9\n'; echo abc | tr abc x; echo 'Hello World' | tr -s '[:upper:]' '[:lower:]'
#: seq
seq 3; seq 2 4; seq 1 2 6; seq 3 -1 1; seq 5 1; echo $?
#: echo
echo -n a; echo b; echo; echo 'a\tb\nc'; echo 'a\cb'; echo; echo '\\ \x \0101'
#: printf
printf 'a\n'; printf '%s-%s\n' a b c; printf '%d %i\n' 5 -7; printf '%x %X %o %u\n' 255 255 8 9; printf '%%\n'
#: printf with widths
printf '[%5s][%-5s][%05d][%+d][%.2s]\n' a b 42 7 xyz; printf '[%5d][%-5d][%.3d][%#x]\n' 42 42 7 255
#: printf with letters
printf '%c%c\n' abc d; printf '%b\n' 'a\tb'; printf '\101\n'; printf '%s\n'; printf 'x%sy\n' ''
#: printf of what is no number
printf '%d\n' abc; echo $?; printf '%d %d\n' 0x10 010; printf "%d\n" "'A"
#: test of texts
test a; echo $?; test ''; echo $?; [ a = a ]; echo $?; [ a != a ]; echo $?; [ -n a ] && [ -z '' ]; echo $?
#: test of numbers
[ 1 -eq 01 ]; echo $?; [ 2 -gt 1 ] && [ 1 -le 1 ] && [ -3 -lt 0 ] && [ 1 -ne 2 ] && [ 1 -ge 1 ]; echo $?; [ x -eq 1 ]; echo $?
#: test with not, and, or
[ ! a = b ]; echo $?; [ a = a -a b = b ]; echo $?; [ a = b -o b = b ]; echo $?; [ ! '' ]; echo $?; [ \( a = a \) -a ! b = c ]; echo $?
#: test of words that look like operators
[ = = = ]; echo $?; [ ! = ! ]; echo $?; [ -n = -n ]; echo $?; [ -n ]; echo $?; [ ! ]; echo $?; test; echo $?
#: test without its end
[ a = a; echo $?
#: true and false
true a b; echo $?; false; echo $?
#: count lines with a loop
seq 5 > f; n=0; while read x; do n=$((n+x)); done < f; echo $n
#: the most frequent words
printf 'a b a\nc a b\n' | tr ' ' '\n' | sort | uniq -c | sort -rn | head -2
#: add up a column
printf 'x 1\ny 2\nz 3\n' > f; s=0; while read n v; do s=$((s+v)); done < f; echo $s
#: turn lines round
seq 3 > f; r=; while read x; do r="$x $r"; done < f; echo $r
#: powers
x=1; for i in 1 2 3 4 5 6 7 8; do x=$((x*2)); done; echo $x
#: primes
n=2; while [ $n -lt 30 ]; do d=2; p=1; while [ $((d*d)) -le $n ]; do [ $((n%d)) -eq 0 ] && p=0; d=$((d+1)); done; [ $p = 1 ] && echo $n; n=$((n+1)); done
