#: output to a file
echo hello > f; cat f
#: output at a file's end
echo a > f; echo b >> f; cat f; echo c > f; cat f
#: input from a file
echo hello > f; cat < f; wc -c < f
#: a file that is not there
cat < none; echo $?; echo after
#: both
printf 'b\na\n' > f; sort < f > g; cat g
#: an empty file
> f; wc -c f; : > g; ls
#: errors to a file
cat none 2> f; [ -s f ] && echo something; cat none > g 2>&1; [ -s g ] && echo something
#: errors like output
{ echo out; cat none; } > f 2>&1; grep -c . f
#: output like errors
echo hidden 2>/dev/null 1>&2; echo shown
#: a text behind
cat <<END
a
  b
END
#: a text with variables
X=1; cat <<END
$X \$X $((X+1)) $(echo c) 'q' "r"
END
#: a text without variables
X=1; cat <<'END'
$X \$X
END
#: a text with tabs
cat <<-END
	a
	b
	END
#: two texts
cat <<A; cat <<B
one
A
two
B
#: a text in a loop
while read x; do echo "<$x>"; done <<END
a
b c
END
#: a text for a pipe
cat <<END | tr a-z A-Z
abc
END
#: read
printf 'a b c\n' > f; read x y < f; echo "[$x] [$y]"
#: read one after the other
printf 'a\nb\nc\n' > f; { read x; read y; echo $y $x; } < f
#: read at the end
printf 'a' > f; read x < f; echo $? $x; read x < g 2>/dev/null || echo none
#: read with more variables than words
printf 'a\n' > f; read x y z < f; echo "[$x][$y][$z]"
#: read with blanks
printf '  a   b  c  \n' > f; read x y < f; echo "[$x][$y]"
#: read with another separator
printf 'root:x:0\n' > f; IFS=: read a b c < f; echo $a-$b-$c
#: read with backslashes
printf 'a\\b\\\nc\n' > f; read x < f; echo "$x"; read -r x < f; echo "$x"
#: a pipe into read
echo 1 2 3 | { read a b; echo $b; }
#: a program between files
printf 'x\ny\n' | tee f | wc -l; cat f
#: tee at a file's end
echo a > f; echo b | tee -a f; cat f
#: redirection ahead of a command
> f echo a; < f cat
#: redirection of a function
f() { echo a; cat none; }; f > g 2>&1; wc -l < g
#: the last redirection counts
echo a > f > g; wc -c f g
#: a long pipe
seq 100 | grep 7 | sort -r | head -3 | tail -1
#: a pipe of commands
(echo b; echo a) | sort | (read x; echo "first $x"; cat)
#: commands in a redirection
X=f; echo a > $X; cat $(echo f)
#: output of a condition
if echo a > f; then cat f; fi
