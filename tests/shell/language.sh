#: words
echo one two   three
#: quotes
echo 'a  b' "c  d" e\ \ f
#: a quote in quotes
echo "it's" 'say "x"' "say \"x\""
#: empty words
printf '[%s]' '' "" a""b; echo
#: a comment
echo a # b
echo 'a # b' c#d
#: a line goes on
echo one \
two
#: a variable
X=hello; echo $X "$X" '$X' ${X}s
#: a variable is split
X='a   b'; echo $X; echo "$X"
#: an empty variable is no word
X=; printf '[%s]' a $X b "$X"; echo
#: assignments one after the other
A=1 B=2 C=$A; echo $A$B$C
#: an assignment for a command only
X=1; X=2 true; echo $X
#: an assignment without command
X='a b*c'; Y=$X; echo "$Y"
#: status
true; echo $?; false; echo $?; ! true; echo $?; ! false; echo $?
#: status of an unknown command
no-such-command; echo $?
#: arguments
echo $# $1 "$2" $3 "$4"
#: all arguments
for x in "$@"; do echo "[$x]"; done; for x in $*; do echo "<$x>"; done
#: all arguments in one
for x in "$*"; do echo "[$x]"; done
#: arguments inside a word
for x in a"$@"b; do echo "[$x]"; done
#: set and shift
set -- a b c d; echo $#; shift; echo "$@"; shift 2; echo "$@"; shift; echo "[$@]" $#
#: many arguments
set -- 1 2 3 4 5 6 7 8 9 ten; echo $10 ${10}
#: default values
unset X; echo ${X-a} ${X:-b}; X=; echo "[${X-a}]" ${X:-b}
#: values that are assigned
unset X; echo ${X=a}; echo $X; X=; echo ${X:=b} $X
#: values instead
unset X; echo "[${X+a}]"; X=; echo "[${X+a}]" "[${X:+a}]"; X=1; echo ${X:+a}
#: a value that has to be there
( X=1; echo ${X?no}; unset X; echo ${X?no}; echo not here ); echo $?
#: lengths
X=hello; echo ${#X}; X=; echo ${#X} ${#1}
#: without the end
X=a.b.c; echo ${X%.*} ${X%%.*} ${X#*.} ${X##*.} ${X%x}
#: without a quoted pattern
X='a*b'; echo "${X%'*'b}" "${X#a\*}"
#: a default with quotes
unset X; echo "${X:-a b}" ${X:-"c  d"} ${X:-'e  f'}
#: a default in a default
unset X Y; echo ${X:-${Y:-deep}}
#: commands in words
echo $(echo a b) "$(echo 'c  d')" x$(echo e)y
#: commands in commands
echo $(echo $(echo inner)) "$(echo "$(echo quoted)")"
#: newlines at the end go
X=$(printf 'a\nb\n\n\n'); echo "$X"; echo $X
#: status of commands in words
X=$(false); echo $?; X=$(true); echo $?; echo $(exit 3) $?
#: variables set inside stay inside
X=1; Y=$(X=2; echo $X); echo $X $Y
#: arithmetic
echo $((1+2*3)) $(( (1+2)*3 )) $((7/2)) $((-7/2)) $((7%3)) $((-7%3))
#: arithmetic with variables
X=5; echo $((X+1)) $(($X*2)) $((Y+1)); echo $((X+=3)) $X
#: arithmetic compares
echo $((1<2)) $((2<=1)) $((3==3)) $((3!=3)) $((1&&0)) $((1||0)) $((!5)) $((~0))
#: arithmetic with bits
echo $((6&3)) $((6|3)) $((6^3)) $((1<<10)) $((1024>>3)) $((0x1f)) $((010))
#: arithmetic chooses
echo $((1?2:3)) $((0?2:3)) $((1?2:0?3:4)); X=1; echo $((0&&(X=9))) $X
#: and and or
true && echo a; false && echo b; true || echo c; false || echo d; false && echo e || echo f
#: and and or over lines
true &&
echo a ||
echo b
#: if
if true; then echo a; fi; if false; then echo b; else echo c; fi
#: elif
for x in 1 2 3; do if [ $x = 1 ]; then echo one; elif [ $x = 2 ]; then echo two; else echo more; fi; done
#: status of if
if false; then :; fi; echo $?; if true; then false; fi; echo $?
#: while
i=0; while [ $i -lt 4 ]; do echo $i; i=$((i+1)); done
#: until
i=3; until [ $i -eq 0 ]; do echo $i; i=$((i-1)); done
#: break
for x in a b c; do for y in 1 2 3; do [ $y = 2 ] && break; echo $x$y; done; done
#: break out of two
for x in a b c; do for y in 1 2 3; do [ $x$y = b2 ] && break 2; echo $x$y; done; done
#: continue
for x in 1 2 3 4; do [ $x = 2 ] && continue; echo $x; done
#: continue the outer loop
for x in a b; do for y in 1 2; do [ $y = 2 ] && continue 2; echo $x$y; done; echo not; done
#: for without words
for x; do echo "<$x>"; done
#: for over nothing
for x in; do echo never; done; echo $?
#: a loop's status
while false; do :; done; echo $?; for x in 1; do false; done; echo $?
#: case
for x in apple banana cherry; do case $x in a*) echo A;; b*|c*) echo B or C;; esac; done
#: case with sets and others
for x in a1 b2 zz; do case $x in [ab]1) echo one;; ?2) echo two;; *) echo other;; esac; done
#: case with quotes
X='*'; case '*' in "$X") echo same;; esac; case abc in "$X") echo no;; $X) echo all;; esac
#: case with nothing
case x in y) echo no;; esac; echo $?; case x in x) ;; esac; echo $?
#: groups
{ echo a; echo b; } | cat; { false; }; echo $?
#: subshells
X=1; (X=2; echo $X); echo $X; (exit 4); echo $?
#: functions
f() { echo "f $# $1"; }; f; f a b; f 'c d'
#: a function's arguments are its own
f() { shift; echo $1; }; set -- x y; f 1 2; echo $1
#: return
f() { return 3; echo no; }; f; echo $?; g() { false; }; g; echo $?
#: functions call themselves
f() { if [ $1 -gt 0 ]; then echo $1; f $(($1-1)); fi; }; f 3
#: a function with another body
f() ( X=2; echo $X ); X=1; f; echo $X; g() if true; then echo g; fi; g
#: a function in a pipe
double() { while read x; do echo "$x$x"; done; }; printf 'a\nb\n' | double
#: eval
X='echo a; echo b'; eval "$X"; Y=X; eval "echo \$$Y"
#: eval with a fault
eval 'echo a; false'; echo $?
#: exit
echo a; exit 7; echo b
#: exit in a function
f() { exit 5; }; f; echo no
#: exit in a subshell
(f() { exit 5; }; f; echo no); echo $?
#: unset
X=1; unset X; echo "[$X]"; f() { :; }; unset -f f; f; echo $?
#: set -e
set -e; false || true; if false; then :; fi; ! true; echo here; false; echo not here
#: set -e in a subshell
(set -e; false; echo no); echo $?
#: set -u
(set -u; echo $NOT_SET; echo no); echo $?
#: a backslash
echo a\bc 'a\\c' "a\\c"; printf '%s\n' a\\b "a\b" "a\$b"
#: a dollar alone
echo $ "$" a$ '$'
#: braces that are words
echo { } a{b}c
#: reserved words that are arguments
echo if then fi while do done for in case esac
#: IFS
IFS=:; X=a:b::c; set -- $X; echo $# "$3"; for x in $X; do echo "[$x]"; done
#: IFS that is empty
IFS=; X='a b'; for x in $X; do echo "[$x]"; done
#: IFS with blanks and others
IFS=' ,'; X='a , b,c  d'; for x in $X; do echo "[$x]"; done
#: colon
: a b c; echo $?; : ${X:=set}; echo $X
#: many pipes
echo abc | cat | cat | tr a-c x-z | cat
#: status of a pipe
true | false; echo $?; false | true; echo $?; ! false | true; echo $?
#: a variable in a pipe stays inside
X=1; echo a | { read X; echo $X; }; echo $X
#: a group's redirection
{ echo a; echo b; } > f; cat f; { cat; } < f
#: a loop's redirection
for x in 1 2 3; do echo $x; done > f; while read x; do echo "<$x>"; done < f
#: a loop reads and writes
printf '3\n1\n2\n' > f; while read x; do echo $((x*2)); done < f > g; cat g
#: readonly
readonly X=1; (X=2; echo no) 2>/dev/null; echo $X
#: negation of a list
if ! { false; }; then echo a; fi
#: semicolons and newlines
if true
then
echo a;
echo b
fi;
#: a pattern that matches no file
echo *.none [x]y? 'a*'
