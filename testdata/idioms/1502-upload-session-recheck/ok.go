package upload

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// Multipart is an open multipart upload at the object store. Parts that come
// after Complete are refused by the store.
type Multipart interface {
	WritePart(ctx context.Context, n int, r io.Reader) error
	Complete() error
	Abort()
}

// Bucket is the object store.
type Bucket interface {
	Open(ctx context.Context, key string) (Multipart, error)
}

var ErrClosed = errors.New("upload: service is closed")

// Pipeline archives live videos: it keeps one open multipart upload per video
// until the broadcast is over.
type Pipeline struct {
	bucket Bucket

	mu     sync.RWMutex
	open   map[string]Multipart
	closed bool
}

func NewPipeline(b Bucket) *Pipeline {
	return &Pipeline{bucket: b, open: make(map[string]Multipart)}
}

func (p *Pipeline) lookup(video string) (Multipart, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	m, ok := p.open[video]
	return m, ok
}

// session returns the video's upload and opens it if need be. Opening takes a
// round trip, therefore it is done without the lock.
func (p *Pipeline) session(ctx context.Context, video string) (Multipart, error) {
	if m, ok := p.lookup(video); ok {
		return m, nil
	}
	m, err := p.bucket.Open(ctx, "videos/"+video)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	other, taken := p.open[video]
	closed := p.closed
	if !taken && !closed {
		p.open[video] = m
	}
	p.mu.Unlock()
	switch {
	case closed:
		m.Abort()
		return nil, ErrClosed
	case taken:
		m.Abort()
		return other, nil
	}
	return m, nil
}

// WritePart stores one part. Encoders send the parts in parallel.
func (p *Pipeline) WritePart(ctx context.Context, video string, n int, r io.Reader) error {
	m, err := p.session(ctx, video)
	if err != nil {
		return err
	}
	return m.WritePart(ctx, n, r)
}

// Close ends the broadcast and completes what is open.
func (p *Pipeline) Close() error {
	p.mu.Lock()
	p.closed = true
	open := p.open
	p.open = nil
	p.mu.Unlock()
	var errs []error
	for _, m := range open {
		errs = append(errs, m.Complete())
	}
	return errors.Join(errs...)
}

// ServeHTTP handles PUT /videos/{video}/parts/{part}.
func (p *Pipeline) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("part"))
	if err != nil {
		http.Error(w, "bad part number", http.StatusBadRequest)
		return
	}
	if err := p.WritePart(r.Context(), r.PathValue("video"), n, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
