// Package receiver is the front of a log collector. Agents send batches of
// lines, the receiver writes them to a spool from which they are shipped.
package receiver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// ErrClosed is returned after Shutdown.
var ErrClosed = errors.New("receiver: closed")

// maxLine limits the length of a line.
const maxLine = 64 << 10

// Spool is a segment file. Append may be called concurrently; after Seal the
// segment is handed to the shipper and must not be written any more.
type Spool interface {
	Append(source string, lines []string) error
	Seal() error
}

// Stats are the totals of a receiver.
type Stats struct {
	Batches int
	Lines   int
	Failed  int
}

// Receiver is an http.Handler that spools log lines.
type Receiver struct {
	spool Spool

	mu     sync.Mutex
	idle   *sync.Cond // signalled when active gets 0
	active int
	closed bool
	stats  Stats
}

// New returns a receiver that writes to a spool.
func New(spool Spool) *Receiver {
	r := &Receiver{spool: spool}
	r.idle = sync.NewCond(&r.mu)
	return r
}

// begin admits a batch.
func (r *Receiver) begin() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.active++
	return nil
}

// end is called when a batch has been dealt with.
func (r *Receiver) end(lines int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.stats.Failed++
	} else {
		r.stats.Batches++
		r.stats.Lines += lines
	}
	r.active--
	if r.active == 0 {
		r.idle.Broadcast()
	}
}

// Receive spools one batch of a source.
func (r *Receiver) Receive(source string, body io.Reader) (err error) {
	if err := r.begin(); err != nil {
		return err
	}
	var lines []string
	defer func() { r.end(len(lines), err) }()

	sc := bufio.NewScanner(body)
	sc.Buffer(nil, maxLine)
	for sc.Scan() {
		if sc.Text() != "" {
			lines = append(lines, sc.Text())
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("read batch of %s: %w", source, err)
	}
	if len(lines) == 0 {
		return nil
	}
	return r.spool.Append(source, lines)
}

// ServeHTTP takes the batch in the body of a request.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	source := req.Header.Get("X-Source")
	if source == "" {
		http.Error(w, "missing X-Source", http.StatusBadRequest)
		return
	}
	switch err := r.Receive(source, req.Body); {
	case errors.Is(err, ErrClosed):
		w.Header().Set("Retry-After", "5")
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// Stats returns the totals so far.
func (r *Receiver) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// drain waits until no batch is being worked on.
func (r *Receiver) drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.active > 0 {
		r.idle.Wait()
	}
}

// refuse makes the receiver turn batches away. It reports false if it does so
// already.
func (r *Receiver) refuse() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.closed = true
	return true
}

// Shutdown lets the pending batches finish and seals the spool.
func (r *Receiver) Shutdown() error {
	r.drain()
	if !r.refuse() {
		return ErrClosed
	}
	return r.spool.Seal()
}
