// Package bug holds log output back until its destination is known.
package bug

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// HoldWriter is an io.Writer that keeps all data until it is told to let data
// through.
type HoldWriter struct {
	out io.Writer

	lock    sync.Mutex
	held    [][]byte
	through bool
}

// NewHoldWriter returns a writer that holds data for out.
func NewHoldWriter(out io.Writer) *HoldWriter {
	return &HoldWriter{out: out}
}

// Release lets the held data and all later data through.
func (w *HoldWriter) Release() {
	w.lock.Lock()
	w.through = true
	held := w.held
	w.held = nil
	w.lock.Unlock()

	for _, p := range held {
		_, _ = w.Write(p)
	}
}

// Write implements io.Writer.
func (w *HoldWriter) Write(p []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()

	if w.through {
		return w.out.Write(p)
	}

	p2 := make([]byte, len(p))
	copy(p2, p)
	w.held = append(w.held, p2)
	return len(p), nil
}

// Held returns the number of bytes that wait.
func (w *HoldWriter) Held() int {
	w.lock.Lock()
	defer w.lock.Unlock()
	n := 0
	for _, p := range w.held {
		n += len(p)
	}
	return n
}

// lineSink keeps the last lines for those who attach later.
type lineSink struct {
	mu    sync.Mutex
	lines []string
	next  int
	subs  map[chan string]struct{}
}

func newLineSink(n int) *lineSink {
	return &lineSink{lines: make([]string, n), subs: make(map[chan string]struct{})}
}

func (s *lineSink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range bytes.Split(bytes.TrimRight(p, "\n"), []byte("\n")) {
		line := string(l)
		s.lines[s.next%len(s.lines)] = line
		s.next++
		for ch := range s.subs {
			select {
			case ch <- line:
			default:
			}
		}
	}
	return len(p), nil
}

// attach returns the last lines and a channel with all that follow.
func (s *lineSink) attach() ([]string, <-chan string, func()) {
	ch := make(chan string, 64)
	s.mu.Lock()
	last := s.tail()
	s.subs[ch] = struct{}{}
	s.mu.Unlock()
	return last, ch, func() {
		s.mu.Lock()
		delete(s.subs, ch)
		s.mu.Unlock()
	}
}

// tail needs the lock.
func (s *lineSink) tail() []string {
	n := min(s.next, len(s.lines))
	out := make([]string, 0, n)
	for i := s.next - n; i < s.next; i++ {
		out = append(out, s.lines[i%len(s.lines)])
	}
	return out
}

// Command is an agent that logs while it starts.
type Command struct {
	hold *HoldWriter
	sink *lineSink
	wg   sync.WaitGroup
	stop chan struct{}
}

// NewCommand returns a command that has not started.
func NewCommand() *Command {
	s := newLineSink(512)
	return &Command{hold: NewHoldWriter(s), sink: s, stop: make(chan struct{})}
}

// Run starts the services and then opens the log.
func (c *Command) Run(services ...string) {
	for _, name := range services {
		c.wg.Add(1)
		go c.serve(name)
	}
	fmt.Fprintf(c.hold, "started %d services\n", len(services))
	c.hold.Release()
}

func (c *Command) serve(name string) {
	defer c.wg.Done()
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for i := 0; ; i++ {
		fmt.Fprintf(c.hold, "%s: beat %d\n", name, i)
		select {
		case <-t.C:
		case <-c.stop:
			return
		}
	}
}

// Monitor follows the log.
func (c *Command) Monitor() ([]string, <-chan string, func()) {
	return c.sink.attach()
}

// Stop ends the services.
func (c *Command) Stop() {
	close(c.stop)
	c.wg.Wait()
}
