package page_test

import (
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// uses is a script that uses the page as a reader does, and leaves what it saw in the document.
const uses = `<script>
window.addEventListener("load", () => {
  const seen = {}, text = document.getElementById("text");
  const shown = () => [...document.querySelectorAll("details.finding")].filter(f => !f.hidden).length;
  const key = k => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
  const focused = () => [...document.querySelectorAll("details.finding summary")].indexOf(document.activeElement);
  seen.all = shown();
  text.value = "IS LOST"; text.dispatchEvent(new Event("input", {bubbles: true}));
  seen.text = shown();
  seen.groups = [...document.querySelectorAll("section.group")].filter(g => !g.hidden).length;
  text.value = ""; text.dispatchEvent(new Event("input", {bubbles: true}));
  const level = document.querySelector("select[data-filter=confidence]");
  level.value = "low"; level.dispatchEvent(new Event("input", {bubbles: true}));
  seen.low = shown();
  level.value = ""; level.dispatchEvent(new Event("input", {bubbles: true}));
  key("j"); seen.first = focused();
  key("j"); seen.second = focused();
  key("k"); seen.back = focused();
  key("/"); seen.filter = document.activeElement === text;
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  seen.wide = document.documentElement.scrollWidth <= window.innerWidth;
  seen.background = getComputedStyle(document.body).backgroundColor;
  seen.scripts = window.evil === undefined;
  document.body.innerHTML = "<pre id=seen></pre>";
  document.getElementById("seen").textContent = JSON.stringify(seen);
});
</script></body>`

type seen struct {
	All, Text, Groups, Low, First, Second, Back int
	Filter, Wide, Scripts                       bool
	Background                                  string
}

// TestBrowser uses the page in a headless Chromium: the filters, the keys, a narrow window with
// long names, and dark colours. It needs a Chromium.
func TestBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("there is no Chromium")
	}
	text := print(t, findings())
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(strings.Replace(text, "</body>", uses, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	open := func(args ...string) seen {
		t.Helper()
		args = append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + t.TempDir(),
			"--virtual-time-budget=5000", "--dump-dom"}, args...)
		out, err := exec.Command(browser, append(args, "file://"+file)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(string(out), `<pre id="seen">`)
		result, _, _ := strings.Cut(rest, "</pre>")
		var s seen
		if err := json.Unmarshal([]byte(html.UnescapeString(result)), &s); !ok || err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		return s
	}
	light := open("--window-size=1200,900")
	want := seen{All: 4, Text: 1, Groups: 1, Low: 1, First: 0, Second: 1, Back: 0, Filter: true, Wide: true, Scripts: true, Background: light.Background}
	if light != want {
		t.Errorf("seen %+v, want %+v", light, want)
	}
	if narrow := open("--window-size=500,900"); narrow != want {
		t.Errorf("in a narrow window: seen %+v, want %+v", narrow, want)
	}
	if dark := open("--blink-settings=preferredColorScheme=0"); dark.Background == light.Background {
		t.Errorf("the background is %s, dark and light", dark.Background)
	}
}
