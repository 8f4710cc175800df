// Package ok matches acks with the pings they answer.
package ok

import (
	"sync"
	"sync/atomic"
	"time"
)

type ackHandler struct {
	ackFn func(payload []byte, at time.Time)
	nack  func()
	timer *time.Timer
}

// Prober sends pings and waits for their acks.
type Prober struct {
	send func(seqNo uint32)
	seq  atomic.Uint32

	ackLock     sync.Mutex
	ackHandlers map[uint32]*ackHandler
}

// NewProber returns a prober that sends pings with send.
func NewProber(send func(uint32)) *Prober {
	return &Prober{send: send, ackHandlers: make(map[uint32]*ackHandler)}
}

// setHandler registers a handler until the timeout.
func (p *Prober) setHandler(seqNo uint32, ah *ackHandler, timeout time.Duration) {
	p.ackLock.Lock()
	defer p.ackLock.Unlock()
	p.ackHandlers[seqNo] = ah
	ah.timer = time.AfterFunc(timeout, func() {
		if ah := p.take(seqNo); ah != nil {
			ah.nack()
		}
	})
}

// take removes a handler; whoever gets it calls it.
func (p *Prober) take(seqNo uint32) *ackHandler {
	p.ackLock.Lock()
	ah, ok := p.ackHandlers[seqNo]
	delete(p.ackHandlers, seqNo)
	p.ackLock.Unlock()
	if !ok {
		return nil
	}
	return ah
}

// HandleAck processes an ack from the network, perhaps a late or second one.
func (p *Prober) HandleAck(seqNo uint32, payload []byte, at time.Time) {
	ah := p.take(seqNo)
	if ah == nil {
		return
	}
	ah.timer.Stop()
	ah.ackFn(payload, at)
}

// Ping returns the round trip time, or false after the timeout.
func (p *Prober) Ping(timeout time.Duration) (time.Duration, bool) {
	type answer struct {
		at time.Time
		ok bool
	}
	ch := make(chan answer, 1)
	seqNo := p.seq.Add(1)
	p.setHandler(seqNo, &ackHandler{
		ackFn: func(_ []byte, at time.Time) { ch <- answer{at, true} },
		nack:  func() { ch <- answer{} },
	}, timeout)
	sent := time.Now()
	p.send(seqNo)
	a := <-ch
	return a.at.Sub(sent), a.ok
}

// Outstanding returns the number of pings without an answer.
func (p *Prober) Outstanding() int {
	p.ackLock.Lock()
	defer p.ackLock.Unlock()
	return len(p.ackHandlers)
}
