// Package packager uploads the media segments of a live stream to the origin
// storage.
package packager

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Segment is a few seconds of encoded media. The player puts the segments in
// order by Seq, so they can be stored in any order.
type Segment struct {
	Stream string
	Seq    int64
	Data   []byte
}

// Key returns the name of the segment in the origin storage.
func (s Segment) Key() string { return fmt.Sprintf("%s/%08d.m4s", s.Stream, s.Seq) }

// Sink is the origin storage.
type Sink interface {
	Put(ctx context.Context, key string, data []byte) error
}

// Buffer holds segments that are ready for upload. It is safe for concurrent
// use.
type Buffer struct {
	mu     sync.Mutex
	ready  *sync.Cond
	segs   []Segment
	closed bool
}

// NewBuffer returns an empty buffer.
func NewBuffer() *Buffer {
	b := new(Buffer)
	b.ready = sync.NewCond(&b.mu)
	return b
}

// Push appends a segment.
func (b *Buffer) Push(s Segment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.segs = append(b.segs, s)
	b.ready.Signal()
}

// Close tells that no more segments will be pushed.
func (b *Buffer) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.ready.Broadcast()
}

// head waits for a segment and returns it. It returns false if the buffer is
// closed and empty.
func (b *Buffer) head() (Segment, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.segs) == 0 && !b.closed {
		b.ready.Wait()
	}
	if len(b.segs) == 0 {
		return Segment{}, false
	}
	return b.segs[0], true
}

// advance removes the segment at the head.
func (b *Buffer) advance() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.segs) > 0 {
		b.segs[0] = Segment{}
		b.segs = b.segs[1:]
	}
}

// Uploader moves segments from a buffer to a sink.
type Uploader struct {
	buf     *Buffer
	sink    Sink
	backoff time.Duration
	log     *slog.Logger
}

// NewUploader returns an uploader that pauses for backoff after a failure.
func NewUploader(buf *Buffer, sink Sink, backoff time.Duration, log *slog.Logger) *Uploader {
	return &Uploader{buf: buf, sink: sink, backoff: backoff, log: log}
}

// Run uploads on the given number of connections until the buffer is closed
// and empty or ctx ends.
func (u *Uploader) Run(ctx context.Context, conns int) {
	stop := context.AfterFunc(ctx, u.buf.Close)
	defer stop()
	var wg sync.WaitGroup
	for range conns {
		wg.Go(func() { u.loop(ctx) })
	}
	wg.Wait()
}

func (u *Uploader) loop(ctx context.Context) {
	for ctx.Err() == nil {
		more, err := u.uploadNext(ctx)
		if err != nil {
			u.log.Warn("upload failed", "err", err)
			select {
			case <-time.After(u.backoff):
			case <-ctx.Done():
			}
			continue
		}
		if !more {
			return
		}
	}
}

// uploadNext stores the next segment. A segment that could not be stored
// stays in the buffer.
func (u *Uploader) uploadNext(ctx context.Context) (bool, error) {
	seg, ok := u.buf.head()
	if !ok {
		return false, nil
	}
	if err := u.sink.Put(ctx, seg.Key(), seg.Data); err != nil {
		return true, fmt.Errorf("packager: %s: %w", seg.Key(), err)
	}
	u.buf.advance()
	return true, nil
}
