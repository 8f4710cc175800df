package fix

import (
	"context"
	"sync"
)

const http2MaxFrameLen = 16384

// Framer writes frames.
type Framer interface {
	WriteData(id uint32, p []byte) error
}

// Stream is one call.
type Stream struct {
	id            uint32
	ctx           context.Context
	sendQuotaPool *quotaPool
}

type http2Client struct {
	framer        Framer
	writableChan  chan struct{} // token for the right to write
	shutdownChan  chan struct{}
	sendQuotaPool *quotaPool

	mu            sync.Mutex
	nextID        uint32
	activeStreams map[uint32]*Stream
	streamQuota   uint32
}

// NewStream opens a stream.
func (t *http2Client) NewStream(ctx context.Context) *Stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nextID += 2
	s := &Stream{id: t.nextID, ctx: ctx, sendQuotaPool: newQuotaPool(int(t.streamQuota))}
	t.activeStreams[s.id] = s
	return s
}

// Write sends data on a stream. Streams write concurrently.
func (t *http2Client) Write(s *Stream, data []byte) error {
	for len(data) > 0 {
		size := http2MaxFrameLen
		// Wait until the stream has some quota to send the data.
		sq, err := wait(s.ctx, t.shutdownChan, s.sendQuotaPool.acquire())
		if err != nil {
			return err
		}
		// Wait until the transport has some quota to send the data.
		tq, err := wait(s.ctx, t.shutdownChan, t.sendQuotaPool.acquire())
		if err != nil {
			return err
		}
		size = min(size, sq, tq, len(data))
		if sq > size {
			s.sendQuotaPool.add(sq - size)
		}
		if tq > size {
			t.sendQuotaPool.add(tq - size)
		}
		select {
		case t.writableChan <- struct{}{}:
		case <-t.shutdownChan:
			return ErrConnClosing
		}
		err = t.framer.WriteData(s.id, data[:size])
		<-t.writableChan
		if err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

// handleWindowUpdate is called by the reader goroutine.
func (t *http2Client) handleWindowUpdate(id, incr uint32) {
	if id == 0 {
		t.sendQuotaPool.add(int(incr))
		return
	}
	t.mu.Lock()
	s, ok := t.activeStreams[id]
	t.mu.Unlock()
	if ok {
		s.sendQuotaPool.add(int(incr))
	}
}
