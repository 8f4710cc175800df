package a

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log"
	"net/http"
	"sync"
)

// slot is a reusable encoder buffer. Whoever received it from the free
// channel is the only one to write to it; the lock is for the debug page.
type slot struct {
	id int

	mu   sync.Mutex
	buf  *bytes.Buffer
	uses int
}

func (s *slot) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Cap()
}

func (s *slot) used() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uses
}

func (s *slot) stats() (size, uses int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Cap(), s.uses
}

func (s *slot) setUsed(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uses = n
}

func (s *slot) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = new(bytes.Buffer)
	s.uses = 0
}

func (s *slot) encode(img image.Image) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf.Reset()
	if err := png.Encode(s.buf, img); err != nil {
		return nil, err
	}
	return bytes.Clone(s.buf.Bytes()), nil
}

// Encoder makes thumbnails with a fixed number of buffers.
type Encoder struct {
	maxSize int
	maxUses int
	all     []*slot
	free    chan *slot
}

func NewEncoder(n, maxSize, maxUses int) *Encoder {
	e := &Encoder{maxSize: maxSize, maxUses: maxUses, free: make(chan *slot, n)}
	for i := range n {
		s := &slot{id: i, buf: new(bytes.Buffer)}
		e.all = append(e.all, s)
		e.free <- s
	}
	return e
}

// Encode waits for a buffer and encodes one image.
func (e *Encoder) Encode(ctx context.Context, img image.Image) ([]byte, error) {
	var s *slot
	select {
	case s = <-e.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { e.free <- s }()

	if s.size() > e.maxSize || s.used() >= e.maxUses {
		s.renew()
	}
	n := s.used()
	out, err := s.encode(img)
	if err != nil {
		return nil, err
	}
	s.setUsed(n + 1)
	return out, nil
}

// ServeHTTP is the debug page.
func (e *Encoder) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for _, s := range e.all {
		size, uses := s.stats()
		fmt.Fprintf(w, "slot %d: %d bytes, %d uses\n", s.id, size, uses)
	}
}

// Run encodes the incoming images with one goroutine each.
func (e *Encoder) Run(ctx context.Context, in <-chan image.Image, out func([]byte)) {
	var wg sync.WaitGroup
	for img := range in {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p, err := e.Encode(ctx, img)
			if err != nil {
				log.Printf("thumbnail: %v", err)
				return
			}
			out(p)
		}()
	}
	wg.Wait()
}
