// Package bug is the flow control of an HTTP/2 client.
package bug

import (
	"context"
	"errors"
	"sync"
)

const http2MaxFrameLen = 16384

var (
	errStreamDone  = errors.New("the stream is done")
	errConnClosing = errors.New("transport is closing")
)

// quotaPool is a pool which accumulates the quota and sends it to acquire()
// when it is available.
type quotaPool struct {
	c chan int

	mu    sync.Mutex
	quota int
}

// newQuotaPool creates a quotaPool which has quota q available to consume.
func newQuotaPool(q int) *quotaPool {
	qb := &quotaPool{
		c: make(chan int, 1),
	}
	if q > 0 {
		qb.c <- q
	} else {
		qb.quota = q
	}
	return qb
}

// add adds n to the available quota and tries to send it on acquire.
func (qb *quotaPool) add(n int) {
	qb.mu.Lock()
	defer qb.mu.Unlock()
	qb.quota += n
	if qb.quota <= 0 {
		return
	}
	select {
	case qb.c <- qb.quota:
		qb.quota = 0
	default:
	}
}

// cancel cancels the pending quota sent on acquire, if any.
func (qb *quotaPool) cancel() {
	qb.mu.Lock()
	defer qb.mu.Unlock()
	select {
	case n := <-qb.c:
		qb.quota += n
	default:
	}
}

// reset cancels the pending quota sent on acquired, incremented by v and sends
// it back on acquire.
func (qb *quotaPool) reset(v int) {
	qb.mu.Lock()
	defer qb.mu.Unlock()
	select {
	case n := <-qb.c:
		qb.quota += n
	default:
	}
	qb.quota += v
	if qb.quota <= 0 {
		return
	}
	select {
	case qb.c <- qb.quota:
		qb.quota = 0
	default:
	}
}

// acquire returns the channel on which available quota amounts are sent.
func (qb *quotaPool) acquire() <-chan int {
	return qb.c
}

// wait blocks until it can receive from ctx.Done, done, closing, or proceed.
func wait(ctx context.Context, done, closing <-chan struct{}, proceed <-chan int) (int, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-done:
		return 0, errStreamDone
	case <-closing:
		return 0, errConnClosing
	case i := <-proceed:
		return i, nil
	}
}

// Stream is one call, used by one writer.
type Stream struct {
	id            uint32
	ctx           context.Context
	done          chan struct{}
	sendQuotaPool *quotaPool
}

// Framer writes frames; it serialises itself.
type Framer interface {
	WriteData(id uint32, data []byte) error
}

type http2Client struct {
	framer       Framer
	shutdownChan chan struct{}

	// sendQuotaPool provides flow control to outbound messages of all streams.
	sendQuotaPool *quotaPool

	mu              sync.Mutex // guard the following variables
	activeStreams   map[uint32]*Stream
	streamSendQuota uint32
}

// NewStream starts a call; ids are unique.
func (t *http2Client) NewStream(ctx context.Context, id uint32) *Stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &Stream{
		id:            id,
		ctx:           ctx,
		done:          make(chan struct{}),
		sendQuotaPool: newQuotaPool(int(t.streamSendQuota)),
	}
	t.activeStreams[id] = s
	return s
}

// Write formats the data into HTTP2 data frame(s) and sends it out.
func (t *http2Client) Write(s *Stream, data []byte) error {
	for len(data) > 0 {
		size := http2MaxFrameLen
		s.sendQuotaPool.add(0)
		// Wait until the stream has some quota to send the data.
		sq, err := wait(s.ctx, s.done, t.shutdownChan, s.sendQuotaPool.acquire())
		if err != nil {
			return err
		}
		t.sendQuotaPool.add(0)
		// Wait until the transport has some quota to send the data.
		tq, err := wait(s.ctx, s.done, t.shutdownChan, t.sendQuotaPool.acquire())
		if err != nil {
			if err != errConnClosing {
				t.sendQuotaPool.cancel()
			}
			return err
		}
		ps := min(size, sq, tq, len(data))
		if ps < sq {
			// Overbooked stream quota. Return it back.
			s.sendQuotaPool.add(sq - ps)
		}
		if ps < tq {
			// Overbooked transport quota. Return it back.
			t.sendQuotaPool.add(tq - ps)
		}
		if err := t.framer.WriteData(s.id, data[:ps]); err != nil {
			return err
		}
		data = data[ps:]
	}
	return nil
}

// handleWindowUpdate runs on the reader goroutine.
func (t *http2Client) handleWindowUpdate(streamID uint32, incr int) {
	if streamID == 0 {
		t.sendQuotaPool.add(incr)
		return
	}
	t.mu.Lock()
	s := t.activeStreams[streamID]
	t.mu.Unlock()
	if s != nil {
		s.sendQuotaPool.add(incr)
	}
}

// applySettings runs on the reader goroutine.
func (t *http2Client) applySettings(initialWindow uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, stream := range t.activeStreams {
		// Adjust the sending quota for each stream.
		stream.sendQuotaPool.reset(int(initialWindow) - int(t.streamSendQuota))
	}
	t.streamSendQuota = initialWindow
}
