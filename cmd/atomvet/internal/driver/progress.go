package driver

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress shows on a terminal how many packages have been checked. Elsewhere
// it shows nothing.
type progress struct {
	mu    sync.Mutex
	to    *os.File
	on    bool
	count int
	shown int // width of the line on the screen
	last  time.Time
}

func newProgress(to *os.File) *progress {
	return &progress{to: to, on: isTerminal(to)}
}

// step counts a package.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	if !p.on || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last = time.Now()
	line := fmt.Sprintf("atomvet: packages checked: %d", p.count)
	fmt.Fprintf(p.to, "\r%s", line)
	p.shown = len(line)
}

// clear takes the line off the screen.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clearLocked()
}

func (p *progress) clearLocked() {
	if p.shown > 0 {
		fmt.Fprintf(p.to, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
}

// stderr returns where others may print meanwhile.
func (p *progress) stderr() io.Writer {
	if !p.on {
		return p.to
	}
	return p
}

func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clearLocked()
	return p.to.Write(b)
}
