// Package uplink sends sensor readings from the gateway to the cloud over one
// framed connection.
package uplink

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// ErrClosed is returned by Send after Close.
var ErrClosed = errors.New("uplink: closed")

type request struct {
	payload []byte
	reply   chan result
}

type result struct {
	seq uint32
	err error
}

// Link is an open connection. Send and the figures can be used concurrently.
type Link struct {
	conn io.WriteCloser

	out  chan request
	stop chan struct{}
	done chan struct{}
	once sync.Once

	seq     atomic.Uint32 // number of the last frame, 0 before the first
	largest atomic.Int64  // size of the largest payload
	state   atomic.Value  // string
}

// Open starts the link on conn.
func Open(conn io.WriteCloser) *Link {
	l := &Link{
		conn: conn,
		out:  make(chan request),
		stop: make(chan struct{}),
		done: make(chan struct{}),
	}
	l.state.Store("up")
	go l.loop()
	return l
}

// Send writes payload as one frame and returns the frame's number.
func (l *Link) Send(ctx context.Context, payload []byte) (uint32, error) {
	req := request{payload: payload, reply: make(chan result, 1)}
	select {
	case l.out <- req:
	case <-l.done:
		return 0, ErrClosed
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	res := <-req.reply
	return res.seq, res.err
}

// loop writes the frames, one after the other.
func (l *Link) loop() {
	defer close(l.done)
	defer l.conn.Close()
	for {
		select {
		case <-l.stop:
			l.state.Store("down")
			return
		case req := <-l.out:
			seq, err := l.write(req.payload)
			req.reply <- result{seq, err}
		}
	}
}

// write sends one frame: number, length, payload.
func (l *Link) write(payload []byte) (uint32, error) {
	seq := l.nextSeq()
	frame := binary.BigEndian.AppendUint32(nil, seq)
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(payload)))
	frame = append(frame, payload...)
	if _, err := l.conn.Write(frame); err != nil {
		l.state.Store("degraded")
		return 0, fmt.Errorf("uplink: frame %d: %w", seq, err)
	}
	if l.state.Load() == "degraded" {
		l.state.Store("up")
	}
	l.noteSize(int64(len(payload)))
	return seq, nil
}

// nextSeq numbers the next frame. Numbers wrap around but skip 0.
func (l *Link) nextSeq() uint32 {
	n := l.seq.Load() + 1
	if n == 0 {
		n = 1
	}
	l.seq.Store(n)
	return n
}

func (l *Link) noteSize(n int64) {
	if n > l.largest.Load() {
		l.largest.Store(n)
	}
}

// Seq returns the number of the last frame.
func (l *Link) Seq() uint32 { return l.seq.Load() }

// Largest returns the size of the largest payload sent.
func (l *Link) Largest() int64 { return l.largest.Load() }

// State returns "up", "degraded" or "down".
func (l *Link) State() string { return l.state.Load().(string) }

// Close ends the link and waits until the connection is closed.
func (l *Link) Close() {
	l.once.Do(func() { close(l.stop) })
	<-l.done
}
