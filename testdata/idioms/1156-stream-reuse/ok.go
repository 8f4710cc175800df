// Correct: Get and Reap take a stream out of the idle list under the lock of
// the pool; from then on it is theirs alone, so looking at it, closing it and
// marking it may be separate steps. The stream's own lock is for Stats,
// which may still see it in the list of all streams.
package ok

import (
	"io"
	"sync"
	"time"
)

// Stream is an open stream to a peer.
type Stream struct {
	rw io.ReadWriteCloser

	mu     sync.Mutex
	used   time.Time
	uses   int
	closed bool
}

func (s *Stream) idleFor(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.used)
}

func (s *Stream) mark(now time.Time, uses int) {
	s.mu.Lock()
	s.used = now
	s.uses += uses
	s.mu.Unlock()
}

func (s *Stream) close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.rw.Close()
}

// Streams keeps streams for reuse.
type Streams struct {
	open   func() (io.ReadWriteCloser, error)
	maxAge time.Duration

	mu   sync.Mutex
	idle []*Stream // least lately used first
	all  map[*Stream]struct{}
}

func NewStreams(open func() (io.ReadWriteCloser, error), maxAge time.Duration) *Streams {
	return &Streams{open: open, maxAge: maxAge, all: make(map[*Stream]struct{})}
}

func (p *Streams) takeLast() *Stream {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	s := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return s
}

func (p *Streams) discard(s *Stream) {
	_ = s.close()
	p.mu.Lock()
	delete(p.all, s)
	p.mu.Unlock()
}

// Get returns a stream nobody else has.
func (p *Streams) Get() (*Stream, error) {
	for s := p.takeLast(); s != nil; s = p.takeLast() {
		now := time.Now()
		if s.idleFor(now) < p.maxAge {
			s.mark(now, 1)
			return s, nil
		}
		p.discard(s)
	}
	rw, err := p.open()
	if err != nil {
		return nil, err
	}
	s := &Stream{rw: rw, used: time.Now(), uses: 1}
	p.mu.Lock()
	p.all[s] = struct{}{}
	p.mu.Unlock()
	return s, nil
}

// Put gives a stream back; the caller must not use it any more.
func (p *Streams) Put(s *Stream) {
	s.mark(time.Now(), 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
}

// Reap closes streams that have not been used for long.
func (p *Streams) Reap() int {
	p.mu.Lock()
	old := p.idle
	p.idle = nil
	p.mu.Unlock()
	var young []*Stream
	for _, s := range old {
		if s.idleFor(time.Now()) < p.maxAge {
			young = append(young, s)
		} else {
			p.discard(s)
		}
	}
	p.mu.Lock()
	p.idle = append(young, p.idle...)
	p.mu.Unlock()
	return len(old) - len(young)
}

// Stats adds up the uses of the open streams.
func (p *Streams) Stats() (streams, uses int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.all {
		s.mu.Lock()
		if !s.closed {
			streams++
			uses += s.uses
		}
		s.mu.Unlock()
	}
	return streams, uses
}
