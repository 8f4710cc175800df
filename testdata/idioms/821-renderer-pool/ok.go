// Package invoice renders invoices to PDF with a few external renderer
// processes, which are kept running because they start slowly.
package invoice

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxUses is after how many documents a renderer is restarted; they leak.
const maxUses = 200

// process is a running renderer.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startProcess(path string) (*process, error) {
	cmd := exec.Command(path, "--server")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd, in, bufio.NewReader(out)}, nil
}

func (p *process) stop() {
	p.in.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// Status describes a renderer.
type Status struct {
	Slot   int
	Uses   int
	Starts int
	Since  time.Time
}

// renderer is a slot for a process. It is used by the goroutine that has taken
// it out of Pool.idle; mu is there for the status page.
type renderer struct {
	slot int

	mu     sync.Mutex
	proc   *process // nil if it has to be started
	uses   int
	starts int
	since  time.Time
}

func (r *renderer) status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Status{r.slot, r.uses, r.starts, r.since}
}

// process returns the process if it is fit for another document.
func (r *renderer) process() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.uses >= maxUses {
		return nil
	}
	return r.proc
}

// retire stops the process, if there is one.
func (r *renderer) retire() {
	r.mu.Lock()
	p := r.proc
	r.proc = nil
	r.mu.Unlock()
	if p != nil {
		p.stop()
	}
}

// install sets a fresh process.
func (r *renderer) install(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proc, r.uses, r.since = p, 0, time.Now()
	r.starts++
}

func (r *renderer) countUse() {
	r.mu.Lock()
	r.uses++
	r.mu.Unlock()
}

// Pool is a set of renderers. It is safe for concurrent use.
type Pool struct {
	path string
	all  []*renderer
	idle chan *renderer
}

// NewPool returns a pool of n renderers, which are started when needed.
func NewPool(path string, n int) *Pool {
	p := &Pool{path: path, idle: make(chan *renderer, n)}
	for i := range n {
		r := &renderer{slot: i}
		p.all = append(p.all, r)
		p.idle <- r
	}
	return p
}

// Render turns the source of an invoice into a PDF of the given size limit.
func (p *Pool) Render(ctx context.Context, src []byte, limit int) ([]byte, error) {
	var r *renderer
	select {
	case r = <-p.idle:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { p.idle <- r }()

	proc := r.process()
	if proc == nil {
		r.retire()
		fresh, err := startProcess(p.path)
		if err != nil {
			return nil, fmt.Errorf("invoice: %w", err)
		}
		r.install(fresh)
		proc = fresh
	}
	pdf, err := exchange(proc, src, limit)
	if err != nil {
		r.retire()
		return nil, fmt.Errorf("invoice: %w", err)
	}
	r.countUse()
	return pdf, nil
}

// exchange sends a document to a process and reads the result: a line with its
// length, and the bytes.
func exchange(p *process, src []byte, limit int) ([]byte, error) {
	if _, err := fmt.Fprintf(p.in, "%d\n%s", len(src), src); err != nil {
		return nil, err
	}
	head, err := p.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(head))
	if err != nil {
		return nil, err
	}
	if n < 0 || n > limit {
		return nil, fmt.Errorf("bad length %d", n)
	}
	pdf := make([]byte, n)
	_, err = io.ReadFull(p.out, pdf)
	return pdf, err
}

// Status returns the state of all renderers, each as it is when it is asked.
func (p *Pool) Status() []Status {
	out := make([]Status, len(p.all))
	for i, r := range p.all {
		out[i] = r.status()
	}
	return out
}
