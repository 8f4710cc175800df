package driver

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// openTerminal returns both ends of a pseudo-terminal.
func openTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { screen.Close() })
	var number, unlock int32
	for _, c := range []struct {
		request uintptr
		arg     *int32
	}{{syscall.TIOCSPTLCK, &unlock}, {syscall.TIOCGPTN, &number}} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), c.request, uintptr(unsafe.Pointer(c.arg))); errno != 0 {
			t.Skip(errno)
		}
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return screen, terminal
}

// TestProgress checks that a terminal shows the progress and, in the end, only
// what went wrong. That a pipe shows nothing is part of other tests.
func TestProgress(t *testing.T) {
	t.Parallel()
	screen, terminal := openTerminal(t)
	w := newWorkspace(t, someFindings)
	w.write("bad/bad.go", "package bad\nvar x int = nothing\n")
	w.env = append(w.env, "TERM=xterm")

	cmd := w.command(os.Args[0], "./b", "./bad")
	cmd.Stderr = terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	written, _ := io.ReadAll(screen) // ends with an error when the terminal is closed
	cmd.Wait()

	text := strings.ReplaceAll(string(written), "\r\n", "\n")
	if !strings.Contains(text, "\ratomvet: packages checked: 1") {
		t.Errorf("no progress in %q", text)
	}
	got := summaryLine.ReplaceAllString(show(text), "")
	if !strings.HasPrefix(got, "# p/bad\n") || !strings.HasSuffix(got, "undefined: nothing\n") {
		t.Errorf("what remains on the screen is %q", got)
	}
}

// TestProgressNamed: once it is known how many packages were named, the line says so.
func TestProgressNamed(t *testing.T) {
	to, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	p := &progress{to: to, on: true}
	p.step()
	p.last = time.Time{}
	p.setNamed(3)
	p.step()
	p.clear()
	written, err := os.ReadFile(to.Name())
	if err != nil {
		t.Fatal(err)
	}
	if want := "\ratomvet: packages checked: 1\ratomvet: packages checked: 2 (3 named, and what they need)\r"; !strings.HasPrefix(string(written), want) {
		t.Errorf("written %q, want %q first", written, want)
	}
	if got := show(string(written)); got != "" {
		t.Errorf("what remains is %q", got)
	}
}

// show returns what a screen shows after it was sent the text.
func show(text string) string {
	var shown []string
	for _, line := range strings.Split(text, "\n") {
		var cells []byte
		column := 0
		for _, c := range []byte(line) {
			if c == '\r' {
				column = 0
				continue
			}
			if column == len(cells) {
				cells = append(cells, 0)
			}
			cells[column] = c
			column++
		}
		shown = append(shown, strings.TrimRight(string(cells), " "))
	}
	return strings.Join(shown, "\n")
}

// TestTerminal: on a terminal findings have colours, and the line of source with the place in
// it marked; NO_COLOR leaves the line, and -c decides about it.
func TestTerminal(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, someFindings)
	for _, test := range []struct {
		env, flag, want string
	}{
		{"TERM=xterm", "-vars", "\x1b[1mfixme/z.go:5:5\x1b[m: \x1b[33m[vars]\x1b[m evil variable\x1b[32m (fixable with -fix)\x1b[m\n5\tvar \x1b[1;31mevil\x1b[m int\n"},
		{"NO_COLOR=1", "-vars", "fixme/z.go:5:5: [vars] evil variable (fixable with -fix)\n5\tvar evil int\n"},
		{"NO_COLOR=1", "-c=-1", "fixme/z.go:5:5: [vars] evil variable (fixable with -fix)\n"},
		{"TERM=dumb", "-vars", "fixme/z.go:5:5: [vars] evil variable (fixable with -fix)\n"},
	} {
		screen, terminal := openTerminal(t)
		cmd := w.command(os.Args[0], test.flag, "./fixme")
		cmd.Env = append(w.env, "NO_COLOR=", "TERM=xterm", test.env)
		cmd.Stdout = terminal
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		written, _ := io.ReadAll(screen)
		cmd.Wait()
		if got := strings.ReplaceAll(string(written), "\r\n", "\n"); got != test.want {
			t.Errorf("%s %s: the terminal gets %q, want %q", test.env, test.flag, got, test.want)
		}
	}
}
