"""Asks one question with one library of Python or C, writes what it returned to a file, then asks a second question that
nobody answers: an answer that is typed twice, or too long, ends up there."""
import ctypes
import getpass
import json
import sys

library, kind, out = sys.argv[1:4]
colours = ['red', 'green', 'blue', 'grey']
pairs = [(colour, colour) for colour in colours]


def with_click():
    import click
    return {
        'text': lambda: click.prompt('Slug'),
        'text with default': lambda: click.prompt('Slug', default='app'),
        'number': lambda: click.prompt('Port', type=int, default=80),
        'range': lambda: click.prompt('Port', type=click.IntRange(1, 65535)),
        'choice': lambda: click.prompt('Colour', type=click.Choice(colours)),
        'choice with default': lambda: click.prompt('Colour', type=click.Choice(colours), default='red'),
        'confirm': lambda: click.confirm('Publish now?'),
        'confirm with default': lambda: click.confirm('Publish now?', default=True),
        'password': lambda: click.prompt('Password', hide_input=True),
    }


def with_typer():
    import typer
    return {
        'text': lambda: typer.prompt('Slug'),
        'text with default': lambda: typer.prompt('Slug', default='app'),
        'confirm': lambda: typer.confirm('Publish now?'),
    }


def with_rich():
    from rich.prompt import Confirm, FloatPrompt, IntPrompt, Prompt
    return {
        'text': lambda: Prompt.ask('Slug'),
        'text with default': lambda: Prompt.ask('Slug', default='app'),
        'choice': lambda: Prompt.ask('Colour', choices=colours),
        'choice with default': lambda: Prompt.ask('Colour', choices=colours, default='red'),
        'number': lambda: IntPrompt.ask('Port', default=80),
        'float': lambda: FloatPrompt.ask('Port'),
        'confirm': lambda: Confirm.ask('Publish now?'),
        'confirm with default': lambda: Confirm.ask('Publish now?', default=True),
        'password': lambda: Prompt.ask('Password', password=True),
    }


def with_prompt_toolkit():
    from prompt_toolkit import prompt, shortcuts
    from prompt_toolkit.completion import WordCompleter
    return {
        'text': lambda: prompt('Slug: '),
        'text with default': lambda: prompt('Slug: ', default='app'),
        'text with placeholder': lambda: prompt('Slug: ', placeholder='app'),
        'text with completion': lambda: prompt('Colour: ', completer=WordCompleter(colours), complete_while_typing=True),
        'text above a toolbar': lambda: prompt('Slug: ', bottom_toolbar='F1 help'),
        'confirm': lambda: shortcuts.confirm('Publish now?'),
        'password': lambda: prompt('Password: ', is_password=True),
        'input dialog': lambda: shortcuts.input_dialog(title='Site', text='Slug:').run(),
        'yes or no dialog': lambda: shortcuts.yes_no_dialog(title='Site', text='Publish now?').run(),
        'button dialog': lambda: shortcuts.button_dialog(
            title='Site', text='Publish now?', buttons=[('Now', 'now'), ('Later', 'later'), ('Never', 'never')]).run(),
        'radio list dialog': lambda: shortcuts.radiolist_dialog(title='Site', text='Colour:', values=pairs).run(),
        'check list dialog': lambda: shortcuts.checkboxlist_dialog(title='Site', text='Colours:', values=pairs).run(),
    }


def with_library_of_c(name):
    c = ctypes.CDLL(name)
    c.readline.restype = ctypes.c_char_p
    return {
        'text': lambda: c.readline(b'Slug: ').decode(),
        'confirm': lambda: c.readline(b'Publish now? [y/N] ').decode(),
    }


def with_curses():
    import curses
    import curses.textpad

    def line(screen):
        curses.echo()
        screen.addstr(2, 4, 'Slug: ')
        return screen.getstr().decode()

    def box(screen):
        screen.addstr(0, 0, 'Slug (Enter ends it):')
        field = curses.newwin(1, 30, 2, 2)
        curses.textpad.rectangle(screen, 1, 1, 3, 33)
        screen.refresh()
        text = curses.textpad.Textbox(field).edit(lambda key: 7 if key in (10, 13) else key)
        return text.strip()

    def menu(screen):
        curses.curs_set(0)
        at = 0
        while True:
            screen.erase()
            screen.addstr(0, 0, 'Choose a colour:')
            for row, colour in enumerate(colours):
                screen.addstr(row + 2, 2, ('> ' if row == at else '  ') + colour)
            key = screen.getch()
            if key == curses.KEY_UP: at = max(0, at - 1)
            if key == curses.KEY_DOWN: at = min(3, at + 1)
            if key in (10, 13): return colours[at]

    return {name: (lambda ask=ask: curses.wrapper(ask)) for name, ask in [('line', line), ('box', box), ('menu', menu)]}


libraries = {
    'curses': with_curses,
    'click': with_click,
    'typer': with_typer,
    'rich': with_rich,
    'prompt_toolkit': with_prompt_toolkit,
    'readline': lambda: with_library_of_c('libreadline.so.8'),
    'libedit': lambda: with_library_of_c('libedit.so.2'),
    'python': lambda: {
        'input': lambda: input('Slug: '),
        'confirm': lambda: input('Publish now? (y/n) '),
        'getpass': lambda: getpass.getpass('Password: '),
    },
}

value = libraries[library]()[kind]()
with open(out, 'w') as file:
    json.dump(value, file)
print('\nThank you.\nNext question: ', end='', flush=True)
for line in sys.stdin:
    with open(out + '.more', 'a') as file:
        file.write(line)
