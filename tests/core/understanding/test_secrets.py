"""Secrets by their shape: every kind is found whole, what only looks like one is left, and time is linear."""

from __future__ import annotations

import time

import pytest

from cortex.core.understanding.secrets import mask, secret_named, secrets_in
from cortex.model.redaction import SecretKind
from cortex_bench.evaluation.made_up import SECRETS, made_up

TEXTS = {
    "url_password": "postgres://app:{}@db.example.org/app",
    "password": 'password: "{}"',
    "credential": "api_key={}",
    "authorization": "Authorization: Bearer {}",
    "ssn": "SSN {}",
}
HOSTILE = (
    "password=", 'password="', "password=' password=' ",
    "password\n\n\n", "eyJ", "eyJaaaaaaaa.", "sk-", "AKIA", "://",
    "://a:b", "1234567890", "1 ",
    "4444 ", "-----BEGIN RSA PRIVATE" + " KEY-----",
    "AAAA\n-----END RSA PRIVATE" + " KEY-----",
    "A", "DE89 3704 ", "bearer ", "authorization: bearer ", "SG." + "a" * 20,
    "123-45-6789 ", "token is ", "secret for a ", "> > ", "://a1b2c3d4e5f6g7h8i9j0", "password|",
    "password**", "<token>",
    "curl ", "curl -u a:", "mysql -p", " login -p ", "cookie: ", "a=bbbbbbbbbbbb;", "cookie: a1=", "PIN ", "://?sig=",
    "\u200b", "ｐ",
    "> # * | - // 1: AAAA\n-----END RSA PRIVATE" + " KEY-----", 'password\\": \\"',
)  # fmt: skip


@pytest.mark.parametrize("slot", SECRETS)
@pytest.mark.parametrize("number", range(5))
def test_every_kind_is_found_whole(slot: str, number: int) -> None:
    """The value is covered from its first to its last character, by the kind it is, and nothing is found twice."""
    name, value = slot.partition(":")[0], made_up(slot, number)
    text = f"Note this. {TEXTS.get(name, '{}').format(value)} and go on"
    (found,) = secrets_in(text)
    assert (found.kind.value, text[found.start : found.end]) == (name, value)


@pytest.mark.parametrize("slot", SECRETS)
def test_a_masked_text_has_none(slot: str) -> None:
    """The mask stands in the place of the value, says its kind, and is no secret itself."""
    name, value = slot.partition(":")[0], made_up(slot, 1)
    text = TEXTS.get(name, "{}").format(value)
    masked = mask(text, secrets_in(text))
    assert masked == text.replace(value, f"[redacted: {name}]")
    assert secrets_in(masked) == ()


@pytest.mark.parametrize(
    "text",
    [
        "password is required", "password: <password>", "password=${DB_PASSWORD}", "password=changeme",
        "token: xxxxxxxxxxxx",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "user 7c9e6679-7425-40de-944b-e07fc1f90ae7", "+49 30 1234 5678",
        "order 4111111111111111 was shipped", "nextPageToken: CAUQAA8x92kLmZpQ7rTbWcYd", "max_tokens: 4096",
        "http://localhost:8080/users?email=ada@example.com",
        "the password is base64-encoded", "api_key = settings.api_key",
    ],
)  # fmt: skip
def test_what_only_looks_like_one(text: str) -> None:
    """Placeholders, variables, hashes, ids and numbers of other things are left."""
    assert secrets_in(text) == ()


def test_a_name_tells_what_its_value_is() -> None:
    """Under a name for secrets a value is one that would be none by itself; under others it is not."""
    value = made_up("credential", 0)
    assert secrets_in(value) == ()
    assert secret_named("API_KEY", value) is SecretKind.CREDENTIAL
    assert secret_named("db.password", made_up("password", 0)) is SecretKind.PASSWORD
    assert secret_named("cursor_token", value) is None
    assert secret_named("commit", value) is None
    assert secret_named("password", "required") is None


def test_cut_and_headless_keys() -> None:
    """Of a private key whose end is cut off, or whose beginning is, every line goes, and the prose around it stays."""
    whole = made_up("private_key", 3)
    lines = whole.split("\n")
    for part in ("\n".join(lines[:4]), "\n".join(lines[3:])):
        text = f"Look at this.\n{part}\nThat was it."
        masked = mask(text, secrets_in(text))
        assert masked.startswith("Look at this.\n")
        assert masked.endswith("\nThat was it.")
        assert not any(line in masked for line in lines[1:-1])


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_is_linear(unit: str) -> None:
    """Four times the length costs about four times as much, whatever the text repeats."""
    short, long = (_seconds((unit * size)[:size]) for size in (25_000, 100_000))
    assert long <= 10 * short + 0.02


def _seconds(text: str) -> float:
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        secrets_in(text)
        least = min(least, time.process_time() - start)
    return least


@pytest.mark.parametrize(
    "text",
    [
        "**Password:** `{}`",
        "**password**: {}",
        "password: **{}**",
        "| password | {} |",
        "<password>{}</password>",
        '{{\\"password\\": \\"{}\\", \\"port\\": 1}}',
        "password -> {}",
        "https://example.org/?next=password%3D{}",
    ],
)
def test_a_password_in_the_dress_of_other_formats(text: str) -> None:
    """Markdown, tables, XML, JSON inside of a string, an arrow and a coded address hide no value; nothing else goes."""
    value = "Xk29qLm4zz"
    full = text.format(value)
    assert mask(full, secrets_in(full)) == text.format("[redacted: password]")


@pytest.mark.parametrize(
    "text",
    [
        "curl -u ada:{} https://api.example.org", "curl -s --user 'ada:{}' -X POST", "curl -u=ada:{}",
        "mysql -u root -p{} shop", "mysqldump -h db -p'{}' shop > dump.sql", "mariadb-dump -p{}",
        "sshpass -p {} ssh deploy@host", "redis-cli -h cache -a {} ping", "docker login -u ada -p {} registry",
        "ldapsearch -x -D cn=admin -w {} uid=ada", "openssl rsa -passin pass:{} -in key.pem",
        "curl -sSLu ada:{} https://example.org", "curl https://example.org \\\n  -H 'Accept: x' \\\n  -u ada:{}",
        "http -a ada:{} https://example.org", "SSHPASS={} sshpass -e ssh x", "redis-cli -a{} ping", "requirepass {}",
        "mongosh -u admin -p {} --quiet", "az login -u ada -p {}", "echo {} | docker login -u ada --password-stdin",
        "echo '{}' | sudo -S apt update", "echo 'root:{}' | chpasswd", "htpasswd -b .htpasswd ada {}",
        "zip -P {} a.zip f", "CREATE USER ada IDENTIFIED BY '{}'", "password (prod): {}",
        "Das Passwort für den Router ist {}", "Passwort vom Server: {}", "Mein Passwort ist jetzt {}",
        "Le mot de passe du wifi est {}", "la contraseña del servidor es {}", "contrasen\u0303a: {}", "mdp: {}",
        "clave: {}", "hasło: {}", "lösenord: {}", "密码是 {}",
        "mot de passe : {}", "le mot de passe est {}", "senha: {}", "wachtwoord={}", "пароль: {}", "密码：{}",
        "パスワード: {}",
    ],
)  # fmt: skip
def test_a_password_for_a_command_and_in_other_languages(text: str) -> None:
    """As an argument of a program, and beside the word for it elsewhere; only the value goes."""
    full = text.format("Xk29qLm4zz")
    assert mask(full, secrets_in(full)) == text.format("[redacted: password]")


@pytest.mark.parametrize(
    "text",
    [
        "My PIN is {}", "PIN: {}.", "the pin code {} opens it", "SIM PIN={}", "door PIN {}, so", "my pin is: {}",
        "PIN = '{}'", "Her pin is {}", "The PIN for the door is {}", "Die PIN vom Handy lautet {}",
    ],
)  # fmt: skip
def test_a_pin(text: str) -> None:
    """Four to eight digits beside the word."""
    full = text.format("4711")
    assert mask(full, secrets_in(full)) == text.format("[redacted: password]")


@pytest.mark.parametrize(
    "text",
    [
        "Cookie: theme=dark; session={}; lang=en",
        "Set-Cookie: sid={}; HttpOnly; Path=/",
        "https://b.s3.amazonaws.com/x.pdf?X-Amz-Expires=60&X-Amz-Signature={}",
        "https://x.blob.core.windows.net/a?sv=2024&sig={}&se=2026",
    ],
)
def test_what_signs_a_request(text: str) -> None:
    """Sessions in cookies and signatures of addresses, without what stands beside them."""
    full = text.format("9f8a7b6c5d4e3f2a1b0cQw")
    assert mask(full, secrets_in(full)) == text.format("[redacted: credential]")


def test_what_nobody_sees_hides_no_secret() -> None:
    """Characters without a width inside of it, and letters of full width: the place is that in the text as it is."""
    token = made_up("github_token", 2)
    hidden = "\u200b".join(token)
    wide = "".join(chr(ord(c) + 0xFEE0) for c in token)
    for written in (hidden, wide, f"\ufeff{token}"):
        text = f"é {written} é"
        masked = mask(text, secrets_in(text)).replace("\ufeff", "")
        assert masked == "é [redacted: github_token] é"


@pytest.mark.parametrize(
    "text",
    [
        "curl -u $USER:$PASS x", "curl -u user:password x", "curl -u flag: sends credentials", "mysql -u root -p shop",
        "I use mysql -pretty", 'sshpass -p "$PW" ssh', "docker login -p <token>", "GPIO pin 1024", "PIN 13",
        "pinned PIN 2024-01-01", "PIN 8080 ms", "PIN 1234.5", "the cookie policy: we use cookies to remember settings",
        "https://example.org/?sig=short", "Cookie: theme=dark; consent=accepted", "le mot de passe est obligatoire",
        "密码：必须", "密度: 1200kg/m3 and more",
        "docker run -d --name mysql -p3306:3306 mysql:8", "nmap -sV mysql.internal -p3306,5432 found two open ports",
        "kubectl port-forward svc/mysql -p3307", "docker compose run --rm mysql bash -c 'mkdir -p/data'",
        "docker login registry.example.org, then docker run -p 8080:80 img",
        "docker login x && docker run -p 8443:443 y",
        "curl -u myuser:mypassword https://x", "12 MG Road, Bengaluru, PIN 560001", "PIN code 560001",
        "PIN: 110001, Delhi",
        "PIN 1013 of the BGA is ground", "ADC PIN = 1023 counts", "PIN: 4821 attempts", "default PIN is 0000",
        "your pin 1000 times", "Passwort: vergessen?", "Passwort: falsch!", "Mot de passe: oublié?",
        "contraseña: (mínimo)",
        "Password v2.3.1 released", "passcode is 6digits", "Passwort ist bcrypt12", "PASS: TestParse/utf8-1",
        "password2: confirmPassword2", '"password": "Passwort2"', "password: DB_PASSWORD_2", "password: #{ENV['X']}",
        "pw: 120x60cm", "cookie: _ga=GA1.2.1234567890.1234567890", "Cookie: session_build=release-2024-11-30-a1",
        "https://x/?signature=rsa-sha256-2048-pkcs1", "La clave es trabajar cada día", "Password (optional): leave it",
    ],
)  # fmt: skip
def test_commands_and_words_alone_are_no_secret(text: str) -> None:
    """Variables, options, other numbers and sentences about them stay."""
    assert secrets_in(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASS={} DB_HOST=db-01", "Set DB_PASS={} DB_HOST=db01.internal in .env", "PGPASSWORD={} pg_dump15 -U app",
        "The wifi password is {} (5GHz/WPA2)", "DB_PASS={}\nDB_HOST=db01.internal.corp", "password: {}\tuser: Ada1",
        "MYSQL_PASSWORD={} MYSQL_DATABASE=shop2024", "sshpass -p {} ssh-copy-id2 x", '"password": "{}", "x": "y-2"',
        "docker login -u me -p {} registry2.io/x", "curl -u joe:{} 10.0.0.1:8080/x2", "| password | {} | room-204 |",
    ],
)  # fmt: skip
def test_masking_twice_is_masking_once(text: str) -> None:
    """A mask is neither a name nor a value: who stores what was recalled, and every scan, leaves the rest as it is."""
    full = text.format("Hx93kd12")
    once = mask(full, secrets_in(full))
    assert once == text.format("[redacted: password]")
    assert secrets_in(once) == ()
    assert secrets_in(f"{once} (staging2)") == ()


@pytest.mark.parametrize("around", ["token%3D{}", "token{}", "X_{}_Y", "https://{}@github.com/a/b.git"])
def test_a_token_that_touches_other_letters(around: str) -> None:
    """What is unmistakable is found inside of a word, too."""
    token = made_up("github_token", 4)
    full = around.format(token)
    assert token not in mask(full, secrets_in(full))


@pytest.mark.parametrize("mark", ["> ", "> > ", ">", "# ", "// ", "- ", "* ", "+ ", "| ", "12: ", "  ", "\t# "])
@pytest.mark.parametrize("first", [0, 1])
def test_a_private_key_in_a_quotation_or_a_comment(mark: str, first: int) -> None:
    """Each of its lines may begin as those of mails, comments, lists and numbered listings do; cut off above, too."""
    lines = made_up("private_key", 3).split("\n")[first:]
    text = "".join(f"{mark}{line}\n" for line in lines)
    found = mask(text, secrets_in(text))
    assert [line for line in lines if line in found] == []


@pytest.mark.parametrize(
    "text",
    [
        "| name | password | role |\n|---|---|---|",
        "| token | Description of the token |",
        "p->password->hash_value1",
        "task_live_migration_v2_final_step",
        "if token > 8 then </x>",
        "-----BEGIN PRIVATE" + " KEY-----\n* item one\n# title",
    ],
)
def test_formats_alone_are_no_secret(text: str) -> None:
    """Headings, code and lists that only look like the above stay."""
    assert secrets_in(text) == ()
