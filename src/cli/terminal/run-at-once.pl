# `signalbox run -- PROGRAM` as quickly as a program can start: Node needs longer for its own start than `script` for everything.
# It does the usual: a person at a terminal, a keeper that runs. For anything else the command line takes over, under Node:
# before the program is started (run-at-once.ts), or from the byte that was shown last (after-run.ts). It says nothing itself.
# What it is called with: our environment in hexadecimal, as the shell that called this had it; the command line's words.
use strict;

my ($hex, $node, $entry, @words) = @ARGV;
my $called = $ENV{SIGNALBOX_CALLED_AS};
$hex =~ tr/0-9a-f//cd;
%ENV = map { /^([^=]+)=(.*)$/s ? ($1, $2) : () } split /\0/, pack 'H*', $hex;

sub become {
  $ENV{SIGNALBOX_CALLED_AS} = $called if defined $called;
  exec {$node} $node, $entry, @_;
  exit 1;
}
sub leave_it { become(@words) }

# The words.
my ($name, @argv);
for (my $at = 1; $at < @words; $at++) {
  my $word = $words[$at];
  if ($word eq '--') { @argv = @words[$at + 1 .. $#words]; last }
  leave_it() unless $word =~ /^--name(?:=(.+))?$/s;
  $name = $1 // $words[++$at] // '';
  leave_it() if $name eq '' || length $name > 200 || (!defined $1 && $name =~ /^--/);
}
leave_it() if !@argv || $argv[0] eq '';

# The server and the keeper of the usual places.
leave_it() if grep { ($ENV{"SIGNALBOX_$_"} // '') ne '' } qw(URL TOKEN CONFIG IPC_NAME);
my $plain = qr{^(?:/(?!\.\.?(?:/|$))[^/\0]+)+$};
my $data = $ENV{SIGNALBOX_HOME} || (($ENV{XDG_DATA_HOME} // '') =~ m{^/} ? $ENV{XDG_DATA_HOME} : ($ENV{HOME} // '') . '/.local/share') . '/signalbox';
leave_it() unless $data =~ $plain && length "$data/run/signalbox.sock" < 103;
if (open my $config, '<', "$data/config.toml") { local $/; leave_it() if <$config> =~ /ipc_name/ }

# Our terminal: opened once more, because the shell that comes back to it expects it to block.
my $path = readlink '/proc/self/fd/0';
leave_it() unless defined $path && $path =~ m{^/dev/} && $path eq (readlink('/proc/self/fd/1') // '') && -t STDIN;
my ($get, $set, $ask_size, $open_both, $no_control, $no_wait) = (0x5401, 0x5403, 0x5413, 02, 0400, 04000);
sysopen(my $tty, $path, $open_both | $no_control | $no_wait) or leave_it();
my $modes = "\0" x 60;
ioctl($tty, $get, $modes) or leave_it();
sub size {
  my $size = "\0" x 8;
  my ($rows, $cols) = ioctl($tty, $ask_size, $size) ? unpack 'S2', $size : (0, 0);
  return $rows > 0 && $cols > 0 ? ($cols, $rows) : (80, 24);
}
# Frames: two lengths, a header in JSON, and bytes.
my ($interrupted, $not_now) = (4, 11);
sub dial {
  socket(my $to, 1, 1, 0) or return undef;
  return connect($to, pack 'S a108', 1, $_[0]) ? $to : undef;
}
sub put {
  my ($to, $bytes) = @_;
  while (length $bytes) {
    my $count = syswrite $to, $bytes;
    if (defined $count) { substr $bytes, 0, $count, '' }
    elsif ($! != $interrupted) { return 0 }
  }
  return 1;
}
sub text { my $text = shift; $text =~ s/(["\\\x00-\x1f])/sprintf '\\u%04x', ord $1/ge; return qq("$text") }
sub record { my %of = @_; return '{' . join(',', map { text($_) . ':' . $of{$_} } keys %of) . '}' }
my $keeper = dial("$data/run/keeper.sock") or leave_it();
sub say_to_keeper { my ($header, $bytes) = @_; put($keeper, pack('NN', length $header, length $bytes) . $header . $bytes) }

open(my $random, '<', '/dev/urandom') or leave_it();
sysread($random, my $bytes, 16) == 16 or leave_it();
vec($bytes, 6, 8) = vec($bytes, 6, 8) & 0x0f | 0x40;
vec($bytes, 8, 8) = vec($bytes, 8, 8) & 0x3f | 0x80;
my $session = unpack 'H*', $bytes;
$session =~ s/^(.{8})(.{4})(.{4})(.{4})/$1-$2-$3-$4-/;
my $here = readlink '/proc/self/cwd';
my $whole_id = qr/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
my $parent = $ENV{SIGNALBOX_SESSION} // '';
my ($cols, $rows) = size();
my ($flags, @keys) = (join(':', map { sprintf '%x', $_ } unpack 'L4', $modes), unpack 'x17C19', $modes);
my $spec = record(
  id => text($session),
  argv => '[' . join(',', map { text($_) } @argv) . ']',
  cwd => text($here),
  env => record(map { $_ => text($_ eq 'SIGNALBOX_SESSION' ? $session : $ENV{$_}) } ('SIGNALBOX_SESSION', keys %ENV)),
  label => record(
    kind => '"terminal"', session => text($session), type => '"script"', cwd => text($here),
    (defined $name ? (name => text($name)) : ()), ($parent =~ $whole_id ? (parent => text($parent)) : ()),
  ),
  pty => record(cols => $cols, rows => $rows, modes => text(join ':', $flags, map { sprintf '%x', $_ } @keys, (0) x 13)),
  umask => umask,
);
my $number = 2;
say_to_keeper(record(op => '"hello-attach"', protocol => 1, pid => $$, n => 1), '') or leave_it();
say_to_keeper(record(op => '"run-terminal"', n => $number, spec => $spec), '') or leave_it();

# The rest is read while the program starts.
eval do { local $/; <DATA> };
die $@;
__DATA__
sub raw {
  my ($in, $out, $control, $local, $line, @keys) = unpack 'L4CC19', $modes;
  @keys[5, 6] = (0, 1);
  my $raw = pack 'L4CC19', $in & ~02462, ($out | 04) & ~01, $control | 060, $local & ~0100013, $line, @keys;
  ioctl($tty, $set, my $given = $raw . substr $modes, 36);
}
sub restore { ioctl($tty, $set, my $given = $modes) }

# What is to be done when a signal has come.
my %came;
$SIG{$_} = do { my $signal = $_; sub { $came{$signal} = 1 } } for qw(HUP TERM INT QUIT WINCH CONT);
$SIG{TSTP} = sub { restore(); kill STOP => $$ };
$SIG{PIPE} = 'IGNORE';

# The modes that the program set on our terminal: whoever takes over restores it.
my (%screen, $keyboards, $cut);
sub forget { %screen = (); $keyboards = 0 }
forget();
sub seen {
  my $text = $cut . $_[0];
  while ($text =~ /\e(?:\[\?([\d;]+)([hl])|\[([<>=])(\d*)[\d;]*u|(\[>4(?:;\d*)?m)|(\[\d* q)|(\[[\d;]*r)|([=>])|(\([0B])|(c|\[!p))/g) {
    my ($numbers, $is, $keyboard, $count) = ($1, $2, $3, $4);
    if (defined $numbers) { $screen{"mode $_"} = "\e[?$_$is" for split /;/, $numbers }
    elsif (defined $keyboard) { $keyboards += $keyboard eq '>' ? 1 : $keyboard eq '<' ? -($count || 1) : 0; $keyboards = 0 if $keyboards < 0 }
    elsif (defined $5) { $screen{keys} = "\e$5" }
    elsif (defined $6) { $screen{cursor} = "\e$6" }
    elsif (defined $7) { $screen{margins} = "\e$7" }
    elsif (defined $8) { $screen{keypad} = "\e$8" }
    elsif (defined $9) { $screen{letters} = "\e$9" }
    else { forget() }
  }
  $cut = $text =~ /(\e(?:\[[0-?]{0,40} ?|\()?)$/ ? $1 : '';
}

my ($shown, $taken, $wrote) = (0, 0, 0);
# The command line does the rest: it says what happened, or attaches again.
sub hand_over {
  restore();
  become('__after-run', $session, $shown, unpack('H*', join '', values %screen, "\e[>u" x $keyboards) || ($wrote ? '1b5b6d' : '-'), @_);
}

# The keys that detach: Ctrl-] and d, also in the long forms that a program may ask our terminal for.
my @wanted = (0x1d, 0x64);
my ($matched, $held) = (0, '');
sub byte_of {
  my ($code, $modifiers) = @_;
  my $pressed = (($modifiers || 1) - 1) & ~192;
  return $pressed == 4 ? ($code >= 64 && $code < 128 ? $code & 0x1f : -1) : $pressed == 0 && $code < 128 ? $code : -1;
}
sub pass {
  my $typed = shift;
  return ($typed, 0) if $matched == 0 && index($typed, "\x1d") < 0 && index($typed, "\e[") < 0;
  my $passed = '';
  while (length $typed) {
    my ($key, $byte, $released) = (substr($typed, 0, 1), ord $typed, 0);
    if ($byte == 0x1b) {
      $byte = -1;
      if ($typed =~ /^(\e\[(?:(\d+)(?::\d*)*(?:;(\d*)(?::(\d))?(?:;[\d:]*)?)?u|27;(\d+);(\d+)~))/ && length $1 <= 41) {
        ($key, $released) = ($1, ($4 // '') eq '3');
        $byte = byte_of($2 // $6, $3 || $5);
      }
    }
    substr $typed, 0, length $key, '';
    my $fits = !$released && $byte == $wanted[$matched];
    if (!$released && !$fits && $matched > 0) {
      ($passed, $held, $matched) = ($passed . $held, '', 0);
      $fits = $byte == $wanted[0];
    }
    $matched++ if $fits;
    if ($matched == 0) { $passed .= $key } else { $held .= $key }
    return ($passed, 1) if $matched == @wanted;
  }
  return ($passed, 0);
}
sub type { say_to_keeper(qq({"op":"type","listen":$number}), $_[0]) if length $_[0] }

# The server hears of the program once it runs. One that does not answer is not waited for.
my ($server, $answer);
sub adopt {
  $answer = '';
  $server = dial("$data/run/signalbox.sock") or return;
  my $body = record(childId => text($session));
  put($server, join "\r\n", 'POST /api/terminals/adopt HTTP/1.0', 'Host: localhost', 'Content-Type: application/json', 'Content-Length: ' . length $body, '', $body)
    or undef $server;
}
sub hear {
  return if sysread $server, $answer, 65536, length $answer;
  undef $server;
}

my ($in, $out, $started, $exit, $lost) = ('', '', 0, undef, 0);
my %number_of = do {
  my $count = 0;
  map { ("SIG$_" => ++$count) } qw(HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS);
};
sub take {
  my ($header, $payload) = @_;
  if ($header =~ /"op":"data"/) {
    $out .= $payload;
    ($wrote, $shown) = (1, $1 + length $payload) if $header =~ /"offset":(\d+)/;
    seen($payload) if $cut ne '' || index($payload, "\e") >= 0;
  } elsif ($header =~ /"op":"exit"/) {
    $exit = $header =~ /"code":(\d+)/ ? $1 : $header =~ /"signal":"(\w+)"/ ? 128 + ($number_of{$1} // 0) : 1;
  } elsif ($header =~ /"op":"detached"/) {
    $lost = 1;
  } elsif ($header =~ /"re":(\d+)/) {
    # Nothing was started: an older keeper, or a program that is not there.
    leave_it() if $header =~ /"fault":/ || ($1 == 1 && $header !~ /"protocol":1\b/);
    if ($1 == $number) { raw(); $came{WINCH} = $started = 1 }
  }
}

$cut = '';
$_ = fileno $_ for my ($from_keeper, $from_tty) = ($keeper, $tty);
until (defined $exit && $out eq '') {
  my ($readable, $writable) = ('', '');
  vec($readable, $from_tty, 1) = 1 if $started && !defined $exit;
  vec($readable, $from_keeper, 1) = 1 if $out eq '' && !defined $exit;
  vec($readable, fileno $server, 1) = 1 if $server;
  vec($writable, $from_tty, 1) = 1 if $out ne '';
  my $patience = $matched > 0 ? 1 : $started && !defined $answer ? 0.02 : undef;
  my $ready = keys %came ? -1 : select $readable, $writable, undef, $patience;
  if (keys %came) {
    hand_over('detached', 'SIGTERM') if delete $came{TERM};
    hand_over('detached', 'SIGHUP') if delete $came{HUP};
    type("\x03") if delete $came{INT};
    type("\x1c") if delete $came{QUIT};
    my $again = delete $came{CONT};
    raw() if $again && $started;
    ($cols, $rows) = size();
    say_to_keeper(qq({"op":"resize-screen","listen":$number,"cols":$cols,"rows":$rows}), '') if delete $came{WINCH} || $again;
  }
  next if $ready < 0;
  if ($ready == 0 && $matched > 0) { type($held); ($held, $matched) = ('', 0) }
  if (vec $readable, $from_tty, 1) {
    my $count = sysread $tty, my $typed, 65536;
    hand_over('detached', 'SIGHUP') if defined $count ? $count == 0 : $! != $not_now && $! != $interrupted;
    if ($count) {
      my ($passed, $leaves) = pass($typed);
      type($passed);
      hand_over('detached', 'keys') if $leaves;
    }
  }
  if (vec $readable, $from_keeper, 1) {
    my $count = sysread $keeper, $in, 262144, length $in;
    $lost = 1 if defined $count ? $count == 0 : $! != $interrupted;
    while (length $in >= 8) {
      my ($header, $payload) = unpack 'NN', $in;
      last if length $in < 8 + $header + $payload;
      my $frame = substr $in, 0, 8 + $header + $payload, '';
      take(substr($frame, 8, $header), substr $frame, 8 + $header);
    }
  }
  while ($out ne '') {
    my $count = syswrite $tty, $out;
    if ($count) { substr $out, 0, $count, '' }
    elsif ($! == $not_now || $! == $interrupted) { last }
    else { hand_over('detached', 'SIGHUP') }
  }
  if ($out eq '' && $shown - $taken > 65536) {
    say_to_keeper(qq({"op":"taken","listen":$number,"offset":$shown}), '');
    $taken = $shown;
  }
  if ($lost && $out eq '' && !defined $exit) {
    leave_it() unless $started;
    hand_over('lost');
  }
  adopt() if $started && !defined $answer;
  hear() if $server && vec $readable, fileno $server, 1;
}

restore();
adopt() unless defined $answer;
while ($server) {
  vec(my $readable = '', fileno $server, 1) = 1;
  last if select($readable, undef, undef, 3) < 1;
  hear();
}
if ($answer ne '' && $answer !~ m{^HTTP/1\.[01] 201}) { hand_over('refused', $exit, unpack 'H*', $answer) }
exit $exit;
