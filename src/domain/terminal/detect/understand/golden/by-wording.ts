import type { Worded } from './row.ts'

/** Other prompts in these languages, and English in other words. */
export const byWording: readonly Worded[] = [
  {
    type: 'yes_no',
    dangerous: true,
    prompts: String.raw`
You are about to write over an existing file. ⏎ Proceed? (Y/N) ▮
TASK [ask] *** ⏎ [ask] ⏎ Really drop the old release? Type yes to go on: ⏎ ▮
Kill session "main"? (y/n)▮
kill-window 2? (y/n) ▮
Terminate batch job (Y/N)? ▮
Really kill pid 812? [yN] ▮
Send SIGKILL to 812? (y/n) ▮
Disable 2FA for this account? [y/N] ▮
Do you want to allow remote root login? [y/N] ▮
Reset admin password? (y/n) ▮
The key already exists. Continue? [y/N] ▮
Regenerate host keys? [y/N] ▮
Grant full access to bob? [y/N] ▮
Publish secrets to vault? This replaces the current version. [y/N] ▮
Apply 3 migrations to production? (y/N) ▮
Empty trash? (y/n) ▮
File exists, replace? [y/N] ▮
Do you want to merge and delete the source branch? [y/N] ▮
Roll back to revision 4? (y/N) ▮
Downgrade openssl to 1.1? (y/N) ▮
Trust this workspace? (y/n) ▮
Fingerprint: SHA256:abc. Accept? (y/n) ▮
Store the password in plain text? (y/N) ▮
Do you wish to unmount and wipe /mnt/x? (y/n) ▮
Erase card? <y/N> ▮
Die folgenden Pakete werden ENTFERNT: ⏎   foo bar ⏎ Möchten Sie fortfahren? [J/n] ▮
Les paquets suivants seront ENLEVÉS : ⏎   foo ⏎ Souhaitez-vous continuer ? [O/n] ▮
Los siguientes paquetes se ELIMINARÁN: ⏎   foo ⏎ ¿Desea continuar? [S/n] ▮
I seguenti pacchetti saranno RIMOSSI: ⏎   foo ⏎ Continuare? [S/n] ▮
Os pacotes a seguir serão REMOVIDOS: ⏎   foo ⏎ Você quer continuar? [S/n] ▮
De volgende pakketten zullen VERWIJDERD worden: ⏎   foo ⏎ Wilt u doorgaan? [J/n] ▮
Następujące pakiety zostaną USUNIĘTE: ⏎   foo ⏎ Kontynuować? [T/n] ▮
Следующие пакеты будут УДАЛЕНЫ: ⏎   foo ⏎ Хотите продолжить? [Д/н] ▮
下列软件包将被【卸载】： ⏎   foo ⏎ 您希望继续执行吗？ [Y/n] ▮
以下のパッケージは「削除」されます: ⏎   foo ⏎ 続行しますか? [Y/n] ▮
rm: normale leere Datei „a“ entfernen? ▮
rm : supprimer fichier vide « a » ? ▮
mv: ¿sobreescribir 'a'? ▮
cp: overschrijven van a? ▮
cp: nadpisać 'a'? ▮
cp: переписать «a»? ▮
mv：是否覆盖 a？ ▮
mv: a を上書きしますか? ▮
cp: sovrascrivere 'a'? ▮
Signal 15 an Prozess 42 senden? (j/n) ▮
Host-Schlüssel hinzufügen? (j/n) ▮
Firewall deaktivieren? (j/n) ▮
Désactiver le pare-feu ? (o/n) ▮
关闭防火墙吗？(y/n) ▮
Partitionstabelle auf die Festplatte schreiben? (j/n) ▮
Benutzer bob löschen? (j/n) ▮
Möchten Sie die Datenbank „shop“ wirklich löschen [j/N] ▮
Tabelle leeren? [j/N] ▮
Repository vergessen? [j/N] ▮
Snapshot zurückspielen? [j/N] ▮
Passwort ändern? (j/n) ▮
Changer le mot de passe ? (o/n) ▮
Réécrire la table de partitions ? (o/n) ▮
Żądasz usunięcia pliku? (t/n) ▮
Czy usunąć katalog? [t/N] ▮
Wiping disk sdb. Go? [y/N] ▮
Elevate to administrator? [y/N] ▮
Drop index users_idx? (y/n) ▮
Flush all rules? (y/n) ▮
Cancel subscription? (y/n) ▮
Log out all sessions? (y/n) ▮
`,
  },
  {
    type: 'yes_no',
    dangerous: false,
    prompts: String.raw`
You may want to downgrade the version of node. ⏎ Continue? (y/n) ▮
(%i1) integrate(x^n, x); ⏎ Is n equal to - 1? ⏎ ▮
Does the certificate belong to an authority? (y/N): ▮
Welcome to the game!!  Would you like instructions? ⏎ ▮
Do you accept the license terms? [yes|no] ⏎ >>> ▮
? Do you want to tweak these settings before proceeding? (y/N) ▮
Open the report in a browser? (Y/n) ▮
Enable colours? [Y/n] ▮
Save changes before leaving? (y/n) ▮
Would you like to see the log? [y/N] ▮
Add bob to the mailing list? (y/n) ▮
Restore previous session? (Y/n) ▮
Is this correct? [Y/n] ▮
Install 12 packages? [Y/n] ▮
Create directory out? (y/n) ▮
Send the message now? (y/n) ▮
Sind die Angaben korrekt? [J/n] ▮
Les informations sont-elles correctes ? [O/n] ▮
¿Es correcta la información? [S/n] ▮
Le informazioni sono corrette? [S/n] ▮
Czy dane są poprawne? [T/n] ▮
Данные верны? [Д/н] ▮
信息是否正确？[Y/n] ▮
この情報は正しいですか? [Y/n] ▮
Die folgenden NEUEN Pakete werden installiert: ⏎   foo bar ⏎ Möchten Sie fortfahren? [J/n] ▮
Se instalarán los siguientes paquetes NUEVOS: ⏎   foo ⏎ ¿Desea continuar? [S/n] ▮
Zostaną zainstalowane następujące NOWE pakiety: ⏎   foo ⏎ Kontynuować? [T/n] ▮
Следующие НОВЫЕ пакеты будут установлены: ⏎   foo ⏎ Хотите продолжить? [Д/н] ▮
下列【新】软件包将被安装： ⏎   foo ⏎ 您希望继续执行吗？ [Y/n] ▮
`,
  },
  {
    type: 'choice',
    dangerous: false,
    prompts: String.raw`
Enter 'r' to play red, 'w' to play white, 'b' to play both: ▮
List: ⏎    1) One thing ⏎    2) Another ⏎ Suggest: ⏎    3) A third ⏎ Please enter a menu option or press Enter to exit. ⏎ > ▮
left           right ⏎ file     ---->            x  [f] ▮
$ man -a passwd ⏎ --Man-- next: passwd(1ssl) [ view (return) | skip (Ctrl-D) | quit (Ctrl-C) ] ⏎ ▮
Pick a configuration: ⏎ [1] Re-initialize this one with new settings ⏎ [2] Create a new one ⏎ Your choice: ▮
1) install ⏎ 2) quit ⏎ Your choice: ▮
a. small ⏎ b. large ⏎ Pick a size [a-b]: ▮
[N]ew, [O]pen, [Q]uit: ▮
Format (json/yaml/toml) [json]: ▮
n=next p=previous q=quit > ▮
1 for IPv4, 2 for IPv6: ▮
1) Installieren ⏎ 2) Abbrechen ⏎ Ihre Wahl: ▮
1) Instalar ⏎ 2) Salir ⏎ Seleccione una opción: ▮
1) Installa ⏎ 2) Esci ⏎ Scelta: ▮
1) Установить ⏎ 2) Выход ⏎ Ваш выбор: ▮
1) Zainstaluj ⏎ 2) Wyjdź ⏎ Wybór: ▮
1) Installeren ⏎ 2) Afsluiten ⏎ Keuze: ▮
1) 安装 ⏎ 2) 退出 ⏎ 请选择 [1-2]: ▮
`,
  },
  {
    type: 'choice',
    dangerous: true,
    prompts: String.raw`
Select the account you would like to delete (by number): ⏎      1  ann ⏎      2  ben ⏎ ▮
Warning: "out.log" exists; Overwrite, Append, Don't log, or Quit? ▮
[O]verwrite, [R]ename, [A]bort: ▮
What to do? (k)eep, (d)elete, (s)kip ▮
1) Behalten ⏎ 2) Löschen ⏎ Ihre Wahl: ▮
[B]ehalten, [L]öschen, [A]bbrechen? ▮
(g)arder, (s)upprimer, (a)nnuler ? ▮
1) Удалить ⏎ 2) Отмена ⏎ Выберите: ▮
1) 覆盖 ⏎ 2) 跳过 ⏎ 请选择: ▮
`,
  },
  {
    type: 'command',
    dangerous: false,
    prompts: String.raw`
VF-1> go home ⏎ [1] About this server ⏎ [2] Search the archive ⏎ VF-1> ▮
2026-11-16:00> ▮
[a] One thing ⏎ [b] Another ⏎ root@devbox:~/w# ▮
root@devbox:~# for i in 1 2 3 ⏎ > ▮
record 46: is it valid? ⏎ :▮
notes.txt (END)▮
nethackish 3.1 ⏎ copyright (c) 2019 ⏎ move: ▮
sh> ▮
ftp> ▮
admin@router> ▮
[admin@MikroTik] > ▮
(venv) $ ▮
?- ▮
irb(main):002> ▮
>>> ▮
db=> ▮
frotz ⏎ >▮
Command> ▮
cli# ▮
[1]> ▮
1 ]=> ▮
In [3]: ▮
`,
  },
  {
    type: 'text',
    dangerous: false,
    prompts: String.raw`
Escape commands: ⏎   '-'    Shrink the window ⏎   'k'    Kill the window ⏎ Press any key to continue: ▮
Give your server's address (excluding the port number): ⏎ ▮
A. One ⏎ B. Another ⏎ to continue, hit Enter ⏎ ▮
TASK [ask] *** ⏎ [Ask who] ⏎ Name of the ticket: ⏎ ▮
How many worker nodes should be created (1-16)? [3] ▮
[No write since last change] ⏎ hi ⏎ Press ENTER or type command to continue▮
Name: ▮
Full name [bob]: ▮
Enter port number: ▮
Hostname> ▮
How many copies? ▮
Name des Projekts: ▮
Nom du projet : ▮
Nombre del proyecto: ▮
Nome del progetto: ▮
Nome do projeto: ▮
Projectnaam: ▮
Nazwa projektu: ▮
Имя проекта: ▮
项目名称: ▮
プロジェクト名: ▮
`,
  },
  {
    type: 'path',
    dangerous: false,
    prompts: String.raw`
ENTER AN ABSOLUTE PATH, OR PRESS <ENTER> TO ACCEPT THE DEFAULT ⏎       : ▮
Save as: ▮
Enter file in which to save the key (/root/.ssh/id_rsa): ▮
Output directory [./out]: ▮
Load which file? ▮
Zielverzeichnis [/opt]: ▮
Répertoire cible [/opt] : ▮
Directorio de destino: ▮
Cartella di destinazione: ▮
Doelmap: ▮
Katalog docelowy: ▮
Целевой каталог: ▮
目标目录: ▮
保存先ディレクトリ: ▮
`,
  },
  {
    type: 'password',
    dangerous: false,
    prompts: String.raw`
Two-factor authentication is required. ⏎ Enter the 6-digit code from your authenticator app: ▮
The password can be changed later. ⏎ New Encfs Password: ▮
Token for registry.example.com: ⏎   Enter a value: ▮
Enter passphrase for key: ▮
PIN: ▮
Passwort für bob@host: ▮
Mot de passe : ▮
Contraseña: ▮
Senha: ▮
Пароль: ▮
密码：▮
パスワード: ▮
`,
  },
  {
    type: 'password',
    dangerous: true,
    prompts: String.raw`
[sudo] password for bob: ▮
Enter new UNIX password: ▮
Retype new password: ▮
[sudo] hasło użytkownika bob: ▮
[sudo] wachtwoord voor bob: ▮
[sudo] пароль для bob: ▮
[sudo] Mot de passe de bob : ▮
Nouveau mot de passe : ▮
Nueva contraseña: ▮
Nova senha: ▮
Новый пароль: ▮
新密码：▮
Neues Passwort: ▮
Geben Sie das neue Passwort erneut ein: ▮
`,
  },
  {
    type: 'none',
    dangerous: false,
    prompts: String.raw`
Downloading: ▮
Copying files... ▮
step 3 of 9 ▮
Waiting for lock... ▮
Press Ctrl+C to stop ⏎ 12:01:02 GET / ⏎ ▮
Server listening on http://localhost:3000 ⏎ Press CTRL-C to quit ⏎ ▮
Connected. Press ^C to exit. ⏎ ▮
Build finished: ok ⏎ ▮
`,
  },
]
