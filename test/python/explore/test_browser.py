"""The page of the explorer in a real browser."""

import pathlib

import pytest

import tinytc_mlir as tt

playwright = pytest.importorskip("playwright.sync_api")
SAMPLE = pathlib.Path(__file__).parents[3] / "examples" / "fused_kernel.ir"


@pytest.fixture
def show(new_page, tmp_path):
    """Return a function that opens a module in the browser, with some panes besides the first.

    Errors of the page fail the test.
    """
    errors = []
    pages = []

    def show(module, panes=("dialect", "linalg", "spirv dialect"), **options):
        path = tmp_path / "page.html"
        module.explore("cpu").save(path)
        page = new_page(viewport={"width": 1600, "height": 900}, **options)
        pages.append(page)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "request",
            lambda request: (
                errors.append(request.url)
                if "file" not in request.url and not request.url.startswith(("data:", "blob:"))
                else None
            ),
        )
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        for pane in panes:
            page.get_by_role("button", name=pane, exact=True).click()
        return page

    yield show
    for page in pages:
        page.close()
    assert errors == []


@pytest.fixture(scope="module")
def sample():
    return tt.Context().parse_file(SAMPLE)


def line(page, pane, number):
    return page.locator(f"[data-name={pane}] .line[data-number='{number - 1}']")


def hits(page, pane):
    return page.locator(f"[data-name={pane}] .line.hit").count()


def settle(page):
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_click_marks_in_every_pane(show, sample):
    page = show(sample)
    line(page, "text", 14).click()
    settle(page)
    playwright.expect(line(page, "text", 14)).to_have_class("line hit pin cursor")
    for pane in ("tinytc", "linalg", "gpu", "spirv", "disassembly"):
        assert hits(page, pane) >= 1, pane
    assert page.locator("#status").inner_text() == "came from line 14"
    page.keyboard.press("Escape")
    settle(page)
    assert page.locator(".line.hit").count() == 0


def test_a_click_during_which_the_page_is_drawn(show, sample):
    page = show(sample)
    place = line(page, "text", 14).bounding_box()
    page.mouse.move(place["x"] + 30, place["y"] + place["height"] / 2)
    page.mouse.down()
    settle(page)
    page.mouse.up()
    playwright.expect(line(page, "text", 14)).to_have_class("line hit pin cursor")


def test_hover_marks_and_leaves(show, sample):
    page = show(sample)
    line(page, "text", 13).locator("i").hover()
    settle(page)
    assert hits(page, "tinytc") == 1
    page.mouse.move(5, 5)
    settle(page)
    assert page.locator(".line.hit").count() == 0


def test_later_stage_marks_the_source(show, sample):
    page = show(sample)
    page.locator("[data-name=tinytc] .line", has_text="tinytc.gemm n t").click()
    settle(page)
    playwright.expect(line(page, "text", 13)).to_have_class("line hit")


def test_keyboard_alone(show, sample):
    page = show(sample)
    page.locator("[data-name=text] .code").focus()
    page.keyboard.press("Home")
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    settle(page)
    assert page.locator("#status").inner_text() == "came from line 13"
    page.keyboard.press("ArrowRight")
    focused = "document.activeElement.closest('.pane').dataset.name"
    assert page.evaluate(focused) == "tinytc"
    settle(page)
    active = page.evaluate("document.activeElement.getAttribute('aria-activedescendant')")
    assert "tinytc.gemm n t" in page.locator(f"#{active}").inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("n")
    assert page.evaluate(focused) == "linalg"  # the prepared stage is hidden at first
    page.keyboard.press("/")
    page.keyboard.type("math.fma")
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator("[data-name=gpu] .line.found").count() > 0
    assert "found" in page.locator("[data-name=gpu] .count").inner_text()
    assert "found" not in page.locator("[data-name=linalg] .count").inner_text()


def test_three_panes_are_open_at_first(show, sample):
    page = show(sample, panes=())
    names = page.locator(".pane:visible").evaluate_all("all => all.map(each => each.dataset.name)")
    assert names == ["text", "gpu", "disassembly"]
    assert page.locator("[data-name=gpu] .line").count() > 20


def test_panes_can_be_hidden(show, sample):
    page = show(sample)
    button = page.get_by_role("button", name="gpu", exact=True)
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert page.locator("[data-name=gpu]").is_hidden()
    page.get_by_role("button", name="prepared").click()
    assert page.locator("[data-name=prepared] .line").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_themes(show, sample, scheme):
    page = show(sample, color_scheme=scheme)
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == scheme
    page.keyboard.press("t")
    assert page.evaluate(theme) != scheme


def test_facts_are_shown(show, sample):
    page = show(sample)
    facts = page.locator("#facts")
    assert "6,144" in facts.inner_text()
    facts.locator("summary").click()
    assert facts.locator("td.chosen").count() == 2
    assert "chosen" in facts.locator("td.chosen").first.get_attribute("aria-label")


def long_program(count):
    """Return a kernel of `count` instructions."""
    lines = ["func @long(%A: memref<f32x64x64>) {", "parallel {", "  %v0 = load %A[0,0] : f32"]
    lines += [f"  %v{i} = arith.add %v{i - 1}, %v{i // 2} : f32" for i in range(1, count - 1)]
    return "\n".join([*lines, f"  store %v{count - 2}, %A[1,0]", "}", "}"])


def test_thousand_instructions_stay_responsive(show, tmp_path):
    module = tt.Context().parse(long_program(1000), "long.ir")
    page = show(module)
    assert (tmp_path / "page.html").stat().st_size < 300_000
    assert page.locator(".line").count() < 1000  # only those in view exist
    changes = page.evaluate(
        """async () => {
          const pane = document.querySelector("[data-name=text] .code");
          pane.focus();
          let changes = 0;
          const observer = new MutationObserver((found) => { changes += found.length; });
          const kinds = {attributes: true, childList: true, characterData: true, subtree: true};
          observer.observe(document, kinds);
          for (let step = 0; step < 50; ++step) {
            pane.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
            await new Promise((done) => requestAnimationFrame(done));
          }
          return changes / 50;
        }"""
    )
    assert 0 < changes < 2000  # of the page, for each key
    line(page, "text", 30).click()
    page.keyboard.press("End")
    page.keyboard.press("PageUp")
    settle(page)
    assert hits(page, "text") == 1
    assert hits(page, "disassembly") >= 1
