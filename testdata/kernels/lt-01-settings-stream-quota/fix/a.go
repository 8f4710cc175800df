package transport

import (
	"context"
	"errors"
	"math"
	"sync"
)

var errConnClosing = errors.New("transport is closing")

type quotaPool struct {
	c chan int

	mu    sync.Mutex
	quota int
}

func newQuotaPool(q int) *quotaPool {
	qb := &quotaPool{c: make(chan int, 1)}
	qb.add(q)
	return qb
}

func (qb *quotaPool) add(n int) {
	qb.mu.Lock()
	defer qb.mu.Unlock()
	select {
	case v := <-qb.c:
		qb.quota += v
	default:
	}
	qb.quota += n
	if qb.quota <= 0 {
		return
	}
	qb.c <- qb.quota
	qb.quota = 0
}

func (qb *quotaPool) pending() int {
	qb.mu.Lock()
	defer qb.mu.Unlock()
	return len(qb.c) + qb.quota
}

func (qb *quotaPool) acquire() <-chan int { return qb.c }

type stream struct {
	id      uint32
	counted bool
}

type http2Client struct {
	mu            sync.Mutex
	closed        bool
	nextID        uint32
	activeStreams map[uint32]*stream
	streamsQuota  *quotaPool
	maxStreams    int
}

func newHTTP2Client() *http2Client {
	return &http2Client{
		nextID:        1,
		activeStreams: make(map[uint32]*stream),
		maxStreams:    math.MaxInt32,
	}
}

func (t *http2Client) newStream(ctx context.Context) (*stream, error) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil, errConnClosing
	}
	q := t.streamsQuota
	t.mu.Unlock()
	if q != nil {
		select {
		case sq := <-q.acquire():
			if sq > 1 {
				q.add(sq - 1)
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, errConnClosing
	}
	s := &stream{id: t.nextID, counted: q != nil}
	t.nextID += 2
	t.activeStreams[s.id] = s
	return s, nil
}

func (t *http2Client) closeStream(s *stream) {
	t.mu.Lock()
	delete(t.activeStreams, s.id)
	q := t.streamsQuota
	t.mu.Unlock()
	if s.counted {
		q.add(1)
	}
}

// saturated tells the picker whether the server's stream limit is used up.
func (t *http2Client) saturated() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.maxStreams == math.MaxInt32 {
		return false
	}
	return t.streamsQuota.pending() <= 0
}

func (t *http2Client) handleSettings(maxConcurrent int) {
	t.mu.Lock()
	q := t.streamsQuota
	if q == nil {
		t.streamsQuota = newQuotaPool(maxConcurrent)
	}
	ms := t.maxStreams
	t.maxStreams = maxConcurrent
	t.mu.Unlock()
	if q != nil {
		q.add(maxConcurrent - ms)
	}
}

func (t *http2Client) reader(settings <-chan int) {
	for v := range settings {
		t.handleSettings(v)
	}
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
}
