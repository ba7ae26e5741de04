#: patterns
> a1; > a2; > b1; echo a*; echo ?1; echo [ab]1; echo *; echo [!a]*
#: patterns in quotes
> a1; echo 'a*' "a*" a\*; X='a*'; echo $X "$X"
#: patterns with ranges
> f1; > f5; > f9; echo f[1-5] f[6-9] f[^1]
#: hidden files
> .hidden; > shown; echo *; echo .h*
#: cp
echo a > f; cp f g; cat g; echo b > f; cat g
#: cp of what is not there
cp none f; echo $?; ls
#: mv
echo a > f; mv f g; ls; cat g
#: mv onto a file
echo a > f; echo b > g; mv f g; ls; cat g
#: mv of what is not there
echo b > g; mv none g; echo $?; cat g
#: rm
> f; > g; rm f; ls; rm none; echo $?; rm -f none; echo $?
#: rm of several
> a; > b; > c; rm a c; ls
#: ls of names
> a; > b; ls b a; ls none; echo $?
#: ls in order
> b; > a; > C; ls
#: cat of several
echo a > f; echo b > g; cat f g f; cat f none g; echo $?
#: cat with numbers
printf 'a\n\nb' > f; cat -n f
#: test of files
> e; echo a > f; for x in e f none; do [ -e $x ] && echo $x is there; [ -s $x ] && echo $x has something; [ -f $x ] && echo $x is a file; done
#: cmp
echo a > f; echo a > g; cmp f g; echo $?; echo b > g; cmp f g; echo $?; cmp -s f g; echo $?
#: cmp of lengths
printf 'abc' > f; printf 'abcd' > g; cmp f g; echo $?
#: cmp of lines
printf 'a\nb\nc\n' > f; printf 'a\nb\nd\n' > g; cmp f g
#: a script
echo 'echo $# $1; exit 3' > s; sh s a b; echo $?
#: hexdump
printf 'hello, world\n' > f; hexdump -C f
#: hexdump of more
seq 20 > f; hexdump f
#: hexdump of equal rows
for i in 1 2 3 4 5 6; do printf '0123456789abcdef'; done > f; hexdump -C f; echo x >> f; hexdump f
#: hexdump of nothing
> f; hexdump f; hexdump -C f
#: hexdump with odd length
printf 'abc' > f; hexdump f; hexdump -C < f
