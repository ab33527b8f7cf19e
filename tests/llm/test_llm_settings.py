"""Addresses, keys and proxies: tables of what the environment says and what is made of it."""

from __future__ import annotations

import pytest

from dovetail.llm.errors import ConfigurationError
from dovetail.llm.settings import Addresses, Protocol, Proxy, proxy_for


@pytest.mark.parametrize(
    ("base", "model", "url", "name"),
    [
        ("https://api.openai.com/v1", "gpt-x", "https://api.openai.com/v1/chat/completions", "gpt-x"),
        ("http://localhost:11434/v1/", "a/b:c", "http://localhost:11434/v1/chat/completions", "a/b:c"),
        ("https://api.anthropic.com", "anthropic/claude-x", "https://api.anthropic.com/v1/messages", "claude-x"),
        ("https://gate.example/v1", "anthropic/claude-x", "https://gate.example/v1/messages", "claude-x"),
        ("http://[::1]:8080/v1", "x", "http://[::1]:8080/v1/chat/completions", "x"),
    ],
)
def test_a_model_s_name_leads_to_its_address(base: str, model: str, url: str, name: str) -> None:
    environ = {"OPENAI_BASE_URL": base, "ANTHROPIC_BASE_URL": base, "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    target = Addresses.of(environ).target(model)
    assert (target.endpoint.url, target.model) == (url, name)


def test_the_environment_wins_over_the_config_and_the_config_over_the_defaults() -> None:
    config = {"openai": {"base_url": "http://config:1/v1", "key": "config", "headers": {"X-Team": "a"}}}
    assert Addresses.of({}, config).endpoints[Protocol.OPENAI].key == "config"
    mixed = Addresses.of({"OPENAI_API_KEY": " environ\n"}, config).endpoints[Protocol.OPENAI]
    assert (mixed.base_url, mixed.key, mixed.headers) == ("http://config:1/v1", "environ", {"X-Team": "a"})
    assert Addresses.of({}, config).endpoints[Protocol.ANTHROPIC].is_default


@pytest.mark.parametrize(("model", "variable"), [("gpt-x", "OPENAI_API_KEY"), ("anthropic/c", "ANTHROPIC_API_KEY")])
def test_a_provider_s_own_address_needs_a_key(model: str, variable: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Addresses.of({}).target(model)
    assert raised.value.code == "no-key"
    assert variable in str(raised.value.hint)


@pytest.mark.parametrize("model", ["", "  ", "anthropic/"])
def test_a_model_has_to_be_named(model: str) -> None:
    with pytest.raises(ConfigurationError):
        Addresses.of({}).target(model)


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8080",
        "ftp://x",
        "http://",
        "http://x:notaport",
        "http://x:99999",
        "http://user:word@x/v1",
        "http://x/v1?key=1",
        "http://x/v 1",
        "http://x/v1\r\nX: y",
        "http://[::1",
        "http://bücher.example/v1",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_before_anything_is_sent(address: str) -> None:
    with pytest.raises(ConfigurationError):
        Addresses.of({"OPENAI_BASE_URL": address})


@pytest.mark.parametrize(
    "address",
    [
        "SECRET",
        "SECRET:8080",
        "http:/SECRET@x/v1",
        "http://user:SECRET@x:notaport/v1",
        "http://user:SECRET@x:99999/v1",
        "http://user@x:SECRET/v1",
        "http://SECRET@[::1/v1",
        "ftp://user:SECRET@x/v1",
        "http://user:SECRET@/v1",
        "http://SECRET@x:0/v1",
        "http://x/v1?key=SECRET",
        "http://x/v1#SECRET",
        "http://x/SECRET “v1”",
    ],
)
def test_an_address_that_cannot_be_used_is_named_by_its_place_and_not_quoted(address: str) -> None:
    config = {"anthropic": {"base_url": address}}
    for environ, stated, place in (
        ({"OPENAI_BASE_URL": address}, {}, "OPENAI_BASE_URL"),
        ({}, config, "The config's `anthropic.base_url`"),
    ):
        with pytest.raises(ConfigurationError) as raised:
            Addresses.of(environ, stated)
        assert raised.value.message.startswith(place)
        assert raised.value.hint
        assert "SECRET" not in f"{raised.value.message} {raised.value.hint}"
        assert raised.value.__cause__ is None


@pytest.mark.parametrize("headers", [{"Authorization: Bearer SECRET": ""}, {"X": "SECRET\n"}])
def test_a_header_that_cannot_be_sent_is_not_quoted(headers: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Addresses.of({}, {"openai": {"headers": headers}})
    assert "SECRET" not in f"{raised.value.message} {raised.value.hint}"


@pytest.mark.parametrize(
    "config",
    [
        {"openai": "x"},
        {"openai": {"base_url": 7}},
        {"openai": {"key": "a\nb"}},
        {"openai": {"headers": ["x"]}},
        {"openai": {"headers": {"X": "a\r\nY: b"}}},
        {"openai": {"headers": {"X Y": "a"}}},
        {"openai": {"headers": {"": "a"}}},
        {"anthropic": {"key": "“quoted”"}},
    ],
)
def test_a_config_of_the_wrong_kind_is_refused(config: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        Addresses.of({}, config)


def test_a_key_is_in_no_repr() -> None:
    settings = Addresses.of({"OPENAI_API_KEY": "sk-secret-1", "HTTP_PROXY": "http://u:sk-secret-2@p:1"})
    proxy = proxy_for("http", "x", 80, settings.environ)
    assert "secret" not in repr(settings) + repr(settings.target("x")) + repr(proxy)
    assert "dTpz" not in repr(proxy)


P = Proxy("p", 3128)
TO_P = {"http_proxy": "http://p:3128", "https_proxy": "http://p:3128"}


@pytest.mark.parametrize(
    ("environ", "address", "proxy"),
    [
        ({}, ("https", "x.org", 443), None),
        (TO_P, ("https", "x.org", 443), P),
        ({"HTTPS_PROXY": "http://p:3128"}, ("https", "x.org", 443), P),
        ({"HTTPS_PROXY": "http://p:3128"}, ("http", "x.org", 80), None),
        ({"https_proxy": "http://p:3128", "HTTPS_PROXY": "http://q:1"}, ("https", "x.org", 443), P),
        ({"ALL_PROXY": "p:3128"}, ("https", "x.org", 443), P),
        ({"all_proxy": "http://p"}, ("https", "x.org", 443), Proxy("p", 80)),
        ({"http_proxy": "http://u:w%40@p:3128"}, ("http", "x.org", 80), Proxy("p", 3128, "Basic dTp3QA==")),
        (TO_P, ("http", "localhost", 8080), None),
        (TO_P, ("http", "127.0.0.1", 8080), None),
        (TO_P, ("http", "::1", 8080), None),
        (TO_P | {"no_proxy": "*"}, ("https", "x.org", 443), None),
        (TO_P | {"NO_PROXY": "a.com, x.org"}, ("https", "x.org", 443), None),
        (TO_P | {"NO_PROXY": ".x.org"}, ("https", "api.x.org", 443), None),
        (TO_P | {"NO_PROXY": "X.ORG"}, ("https", "api.x.org", 443), None),
        (TO_P | {"NO_PROXY": "x.org"}, ("https", "notx.org", 443), P),
        (TO_P | {"NO_PROXY": "x.org:8443"}, ("https", "x.org", 443), P),
        (TO_P | {"NO_PROXY": "x.org:443"}, ("https", "x.org", 443), None),
        (TO_P | {"NO_PROXY": "10.0.0.0/8"}, ("http", "10.1.2.3", 80), None),
        (TO_P | {"NO_PROXY": "10.0.0.0/8"}, ("http", "11.1.2.3", 80), P),
        (TO_P | {"NO_PROXY": "fe80::1"}, ("http", "fe80::1", 80), None),
        (TO_P | {"NO_PROXY": "[fe80::1]:81"}, ("http", "fe80::1", 80), P),
        (TO_P | {"NO_PROXY": " , "}, ("https", "x.org", 443), P),
    ],
)
def test_which_proxy_is_taken(environ: dict[str, str], address: tuple[str, str, int], proxy: Proxy | None) -> None:
    assert proxy_for(*address, environ) == proxy


@pytest.mark.parametrize("address", ["socks5://p:1", "https://p:1", "http://", "http://p:x", "http://[p"])
def test_a_proxy_that_cannot_be_used_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError):
        proxy_for("https", "x.org", 443, {"https_proxy": address})


def test_who_has_a_key_for_anthropic_alone_is_told_how_its_models_are_named() -> None:
    with pytest.raises(ConfigurationError) as raised:
        Addresses.of({"ANTHROPIC_API_KEY": "sk-1"}).target("claude-tiny")
    assert "anthropic/claude-tiny" in str(raised.value.hint)
    with pytest.raises(ConfigurationError) as raised:
        Addresses.of({}).target("claude-tiny")
    assert "anthropic/" not in str(raised.value.hint)


def test_a_gateway_with_a_key_is_asked_for_anthropic_s_models_where_nothing_else_is_there_for_them() -> None:
    gateway = {"OPENAI_BASE_URL": "https://gate.example/v1", "OPENAI_API_KEY": "k"}
    target = Addresses.of(gateway).target("anthropic/claude-x")
    assert (target.endpoint.url, target.model) == ("https://gate.example/v1/chat/completions", "anthropic/claude-x")
    for other in ({"ANTHROPIC_API_KEY": "k"}, {"ANTHROPIC_BASE_URL": "http://localhost:1"}):
        assert Addresses.of(gateway | other).target("anthropic/claude-x").model == "claude-x"
    for without in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        alone = {name: value for name, value in gateway.items() if name != without}
        with pytest.raises(ConfigurationError):
            Addresses.of(alone).target("anthropic/claude-x")
