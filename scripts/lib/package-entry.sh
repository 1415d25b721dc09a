# The first half of the program of a package, for the shell: scripts/package.ts puts package-entry.cjs behind it.
# `run -- PROGRAM` starts without Node, whose own start takes longer than all the rest.
if [ "$1" = run ] && command -v perl >/dev/null && environ=$(od -An -v -tx1 "/proc/$$/environ" 2>/dev/null) && [ ${#environ} -lt 100000 ]; then
  unset PERL5OPT PERL5LIB PERL5DB PERLLIB PERLIO PERL_UNICODE
  export PERL_BADLANG=0
  exec perl -e '
    while (defined(my $to = readlink $ARGV[2])) {
      $ARGV[2] =~ s{[^/]*$}{} if $to !~ m{^/};
      $ARGV[2] = $to =~ m{^/} ? $to : $ARGV[2] . $to;
    }
    my ($folder) = $ARGV[2] =~ m{^(.+/)};
    do "${folder}dist/run-at-once.pl";
  ' "$environ" node "$0" "$@"
fi
exec node "$0" "$@"
