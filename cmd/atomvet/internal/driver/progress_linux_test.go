package driver

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
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
	if got := show(text); !strings.HasPrefix(got, "# p/bad\n") || !strings.HasSuffix(got, "undefined: nothing\n") {
		t.Errorf("what remains on the screen is %q", got)
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
