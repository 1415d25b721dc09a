import type { Worded } from './row.ts'

/** Harm, trust and key presses in many languages, and harmless prompts in them. */
export const byLanguage: readonly Worded[] = [
  {
    type: 'yes_no',
    dangerous: true,
    prompts: String.raw`
Le fichier « a.txt » existe. Faut-il réécrire par-dessus ? (o/N) ▮
Prozess 42 wirklich beenden? (j/N) ▮
Tuer le processus 42 ? (o/N) ▮
¿Matar el proceso 42? (s/N) ▮
Encerrar o processo 42? (s/N) ▮
Proces 42 beëindigen? (j/N) ▮
Zabić proces 42? (t/N) ▮
Завершить процесс 42? (д/Н) ▮
终止进程 42？ (y/N) ▮
プロセス 42 を終了しますか? (y/N) ▮
Kill process 42? (y/N) ▮
杀死 42 号进程吗？[y/N] ▮
Datei „a.txt“ löschen? [j/N] ▮
Supprimer le fichier « a.txt » ? [o/N] ▮
¿Borrar el archivo a.txt? [s/N] ▮
Eliminare il file a.txt? [s/N] ▮
Excluir o arquivo a.txt? [s/N] ▮
Bestand a.txt verwijderen? [j/N] ▮
Usunąć plik a.txt? [t/N] ▮
Удалить файл a.txt? [д/Н] ▮
是否删除文件 a.txt？[y/N] ▮
a.txt を削除してもよろしいですか? [y/N] ▮
Vorhandene Datei überschreiben? (j/n) ▮
Écraser le fichier existant ? (o/n) ▮
¿Sobrescribir el fichero? (s/n) ▮
Sovrascrivere? (s/n) ▮
Sobrescrever o ficheiro? (s/n) ▮
Bestaand bestand overschrijven? (j/n) ▮
Nadpisać plik? (t/n) ▮
Перезаписать файл? (д/н) ▮
覆盖现有文件吗？(y/n) ▮
既存のファイルを上書きしますか? (y/n) ▮
Laufwerk jetzt formatieren? (j/n) ▮
Formater le disque ? (o/n) ▮
¿Formatear el disco? (s/n) ▮
Formattare il disco? (s/n) ▮
Formatar o disco? (s/n) ▮
Schijf formatteren? (j/n) ▮
Sformatować dysk? (t/n) ▮
Форматировать диск? (д/н) ▮
要格式化磁盘吗？(y/n) ▮
ディスクをフォーマットしますか? (y/n) ▮
Diesem Zertifikat vertrauen? (ja/nein) ▮
Accepter ce certificat ? (oui/non) ▮
¿Confiar en este certificado? (sí/no) ▮
Accettare il certificato? (s/n) ▮
Aceitar o certificado? (s/n) ▮
Dit certificaat vertrouwen? (j/n) ▮
Czy zaufać temu certyfikatowi? (t/n) ▮
Доверять этому сертификату? (да/нет) ▮
是否信任此证书？(y/n) ▮
この証明書を信頼しますか? (y/n) ▮
Verbindung wirklich fortsetzen (ja/nein)? ▮
L'authenticité de l'hôte ne peut être établie. ⏎ Continuer la connexion (oui/non) ? ▮
No se puede establecer la autenticidad del host. ⏎ ¿Continuar conectando (sí/no)? ▮
Impossibile verificare l’autenticità dell’host. ⏎ Continuare la connessione (sì/no)? ▮
Nie można ustalić autentyczności hosta. ⏎ Kontynuować łączenie (tak/nie)? ▮
Невозможно проверить подлинность узла. ⏎ Продолжить подключение (да/нет)? ▮
无法确认主机真实性。 ⏎ 是否继续连接 (是/否)? ▮
Änderungen verwerfen? (j/n) ▮
Abandonner les modifications ? (o/n) ▮
¿Descartar los cambios? (s/n) ▮
Scartare le modifiche? (s/n) ▮
Descartar as alterações? (s/n) ▮
Wijzigingen weggooien? (j/n) ▮
Odrzucić zmiany? (t/n) ▮
Отбросить изменения? (д/н) ▮
放弃更改吗？(y/n) ▮
変更を破棄しますか? (y/n) ▮
Auf Werkseinstellungen zurücksetzen? (j/n) ▮
Réinitialiser la configuration ? (o/n) ▮
¿Restablecer la configuración? (s/n) ▮
Ripristinare il backup? (s/n) ▮
Restaurar a partir do backup? (s/n) ▮
Back-up terugzetten? (j/n) ▮
Przywrócić kopię zapasową? (t/n) ▮
Восстановить из резервной копии? (д/н) ▮
要从备份恢复吗？(y/n) ▮
バックアップから復元しますか? (y/n) ▮
Restore snapshot from yesterday? (y/n) ▮
Proceed with the restore? [y/N] ▮
Begin restoration? [y/N] ▮
Update the key file? (y/n) ▮
Modify /root/.ssh/authorized_keys? [y/N] ▮
Change your credentials file? [y/N] ▮
Schlüssel des Servers akzeptieren? (j/n) ▮
Importer la clé 0xABCD ? (o/N) ▮
Zaimportować klucz 0xABCD? (t/N) ▮
Импортировать ключ 0xABCD? (д/Н) ▮
导入密钥 0xABCD 吗？(y/N) ▮
Rechner jetzt neu starten? (j/n) ▮
Redémarrer maintenant ? (o/n) ▮
Riavviare ora? (s/n) ▮
Перезагрузить сейчас? (д/н) ▮
立即重启吗？(y/n) ▮
Paket deinstallieren? (j/n) ▮
Désinstaller le paquet ? (o/n) ▮
Odinstalować pakiet? (t/n) ▮
Alle Daten gehen verloren. ⏎ Fortfahren? (j/N) ▮
Toutes les données seront perdues. ⏎ Continuer ? (o/N) ▮
Tutti i dati verranno cancellati. ⏎ Continuare? (s/N) ▮
Alle gegevens worden gewist. ⏎ Doorgaan? (j/N) ▮
Wszystkie dane zostaną utracone. ⏎ Kontynuować? (t/N) ▮
Все данные будут потеряны. ⏎ Продолжить? (д/Н) ▮
所有数据将丢失。 ⏎ 是否继续？(y/N) ▮
Czy na pewno chcesz kontynuować? (t/N) ▮
Weet u het zeker? (j/N) ▮
Sei sicuro? (s/N) ▮
Tem certeza? (s/N) ▮
Sollen alle Container gestoppt werden? Dienst nginx stoppen? (j/N) ▮
Arrêter le service nginx ? (o/N) ▮
¿Detener el servicio nginx? (s/N) ▮
Остановить службу nginx? (д/Н) ▮
Die Datei ersetzen? (j/n) ▮
Remplacer a.txt ? (o/n) ▮
¿Reemplazar a.txt? (s/n) ▮
Sostituire a.txt? (s/n) ▮
Substituir a.txt? (s/n) ▮
Vervangen? (j/n) ▮
Zastąpić a.txt? (t/n) ▮
Заменить a.txt? (д/н) ▮
替换 a.txt？(y/n) ▮
a.txt を置き換えますか? (y/n) ▮
Token widerrufen? (j/n) ▮
Révoquer le jeton ? (o/n) ▮
Отозвать ключ? (д/н) ▮
Papierkorb leeren? (j/n) ▮
Vider la corbeille ? (o/n) ▮
¿Vaciar la papelera? (s/n) ▮
Svuotare il cestino? (s/n) ▮
Opróżnić kosz? (t/n) ▮
Очистить корзину? (д/н) ▮
清空回收站吗？(y/n) ▮
Ohne zu speichern beenden? (j/n) ▮
Quitter sans enregistrer ? (o/n) ▮
¿Salir sin guardar? (s/n) ▮
Uscire senza salvare? (s/n) ▮
Wyjść bez zapisywania? (t/n) ▮
Выйти без сохранения? (д/н) ▮
不保存并退出吗？(y/n) ▮
保存せずに終了しますか? (y/n) ▮
`,
  },
  {
    type: 'yes_no',
    dangerous: false,
    prompts: String.raw`
Paket installieren? (J/n) ▮
Installer le paquet ? (O/n) ▮
¿Instalar el paquete? (S/n) ▮
Installare il pacchetto? (S/n) ▮
Instalar o pacote? (S/n) ▮
Pakket installeren? (J/n) ▮
Zainstalować pakiet? (T/n) ▮
Установить пакет? (Д/н) ▮
是否安装软件包？(Y/n) ▮
パッケージをインストールしますか? (Y/n) ▮
Möchten Sie die Hilfe lesen? (j/n) ▮
Afficher les détails ? (o/n) ▮
¿Guardar los cambios? (s/n) ▮
Aprire il browser? (s/n) ▮
Criar um novo projeto? (s/n) ▮
Wilt u verdergaan? (j/n) ▮
Создать новый проект? (д/н) ▮
`,
  },
  {
    type: 'text',
    dangerous: false,
    prompts: String.raw`
Drücken Sie die Eingabetaste, um fortzufahren. ⏎ ▮
Eingabetaste drücken, um fortzufahren ...▮
Appuyez sur une touche pour continuer...▮
Appuyez sur [Entrée] pour continuer ⏎ ▮
Presione Intro para continuar. ⏎ ▮
Pulse cualquier tecla para continuar...▮
Premere Invio per continuare. ⏎ ▮
Premi un tasto per continuare...▮
Pressione Enter para continuar. ⏎ ▮
Prima qualquer tecla para continuar . . . ▮
Druk op Enter om door te gaan. ⏎ ▮
Druk op een toets om door te gaan...▮
Naciśnij Enter, aby kontynuować. ⏎ ▮
Naciśnij dowolny klawisz...▮
Нажмите Enter для продолжения. ⏎ ▮
Для продолжения нажмите любую клавишу . . . ▮
按回车键继续 ⏎ ▮
请按任意键继续. . .▮
Enterキーを押すと続行します ⏎ ▮
続行するには何かキーを押してください . . .▮
Press RETURN when ready. ⏎ ▮
Hit any key to begin:▮
Press <Enter> to accept the defaults, Ctrl-C to stop ⏎ ▮
Items to order? ▮
Copies to print? ▮
Bitte geben Sie einen Namen ein ⏎   [token]: ▮
`,
  },
  {
    type: 'text',
    dangerous: true,
    prompts: String.raw`
All files in /srv will be deleted. ⏎ Press ENTER to continue or Ctrl-C to abort. ⏎ ▮
Alle Dateien werden gelöscht. ⏎ Drücken Sie die Eingabetaste, um fortzufahren. ⏎ ▮
Tous les fichiers seront supprimés. ⏎ Appuyez sur Entrée pour continuer. ⏎ ▮
To proceed, type the name of the database: ⏎ ▮
To confirm, type 'delete my data' ⏎ ▮
`,
  },
  {
    type: 'command',
    dangerous: false,
    prompts: String.raw`
user@h:~$ game ⏎ white(12): ▮
spice 4 -> ▮
calc 12> ▮
➜  web git:(dev) ▮
λ proj ▮
`,
  },
  {
    type: 'choice',
    dangerous: true,
    prompts: String.raw`
(R = replace, S = skip)? ▮
`,
  },
  {
    type: 'choice',
    dangerous: false,
    prompts: String.raw`
Press A = all, N = none: ▮
`,
  },
  {
    type: 'none',
    dangerous: false,
    prompts: String.raw`
Start job? skipped: ▮
Remove lock? declined. ▮
`,
  },
  {
    type: 'password',
    dangerous: true,
    prompts: String.raw`
Nieuw wachtwoord: ▮
Nowe hasło: ▮
Nuova password: ▮
Hasło użytkownika root: ▮
`,
  },
  {
    type: 'password',
    dangerous: false,
    prompts: String.raw`
Wachtwoord: ▮
Hasło: ▮
`,
  },
]
