// Package framequeue connects the decoder of a transcoding job with its
// filters and encoders.
package framequeue

import (
	"errors"
	"sync"
	"time"
)

// ErrClosed is returned by Push after Close.
var ErrClosed = errors.New("framequeue: closed")

// Frame is one decoded picture.
type Frame struct {
	PTS    time.Duration
	Pixels []byte
}

// Queue is a bounded queue of frames. The bound is in bytes, as the size of a
// frame depends on the rendition. A Queue is safe for concurrent use.
type Queue struct {
	limit int

	mu     sync.Mutex
	moved  *sync.Cond
	frames []Frame
	bytes  int
	closed bool
}

// New returns a queue for limit bytes of pixels.
func New(limit int) *Queue {
	q := &Queue{limit: limit}
	q.moved = sync.NewCond(&q.mu)
	return q
}

// lockRoom waits until n bytes fit into the queue and returns with q locked.
// It returns false, with q unlocked, if the queue has been closed. A frame
// above the limit fits when the queue is empty.
func (q *Queue) lockRoom(n int) bool {
	q.mu.Lock()
	for !q.closed && q.bytes > 0 && q.bytes+n > q.limit {
		q.moved.Wait()
	}
	if q.closed {
		q.mu.Unlock()
		return false
	}
	return true
}

// lockFrame waits until there is a frame and returns with q locked. It returns
// false, with q unlocked, if the queue is closed and empty.
func (q *Queue) lockFrame() bool {
	q.mu.Lock()
	for len(q.frames) == 0 && !q.closed {
		q.moved.Wait()
	}
	if len(q.frames) == 0 {
		q.mu.Unlock()
		return false
	}
	return true
}

// unlock tells the waiting goroutines that the queue has changed.
func (q *Queue) unlock() {
	q.moved.Broadcast()
	q.mu.Unlock()
}

// Push appends f. It waits while the queue is full.
func (q *Queue) Push(f Frame) error {
	if !q.lockRoom(len(f.Pixels)) {
		return ErrClosed
	}
	q.frames = append(q.frames, f)
	q.bytes += len(f.Pixels)
	q.unlock()
	return nil
}

// Pop removes the oldest frame. It waits while the queue is empty and returns
// false when the queue is closed and empty.
func (q *Queue) Pop() (Frame, bool) {
	if !q.lockFrame() {
		return Frame{}, false
	}
	f := q.frames[0]
	q.frames[0] = Frame{}
	q.frames = q.frames[1:]
	q.bytes -= len(f.Pixels)
	q.unlock()
	return f, true
}

// PopUntil removes the frames up to the presentation time pts and returns the
// last of them. It is used by renditions with a lower frame rate.
func (q *Queue) PopUntil(pts time.Duration) (Frame, bool) {
	if !q.lockFrame() {
		return Frame{}, false
	}
	var last Frame
	n := 0
	for n < len(q.frames) && (n == 0 || q.frames[n].PTS <= pts) {
		last = q.frames[n]
		q.bytes -= len(last.Pixels)
		q.frames[n] = Frame{}
		n++
	}
	q.frames = q.frames[n:]
	q.unlock()
	return last, true
}

// Len returns the number of queued frames.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.frames)
}

// Close refuses further frames; the queued ones can still be popped.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.unlock()
}
