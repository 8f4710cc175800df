package driver

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress shows on a terminal how many packages have been checked, those that the named ones need
// included, and how many were named. Elsewhere it shows nothing.
type progress struct {
	mu    sync.Mutex
	to    *os.File
	on    bool
	count int
	named int // 0 until it is known
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
	if p.named > 0 {
		line += fmt.Sprintf(" (%d named, and what they need)", p.named)
	}
	fmt.Fprintf(p.to, "\r%s", line)
	p.shown = len(line)
}

// setNamed sets how many packages were named.
func (p *progress) setNamed(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.named = n
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
