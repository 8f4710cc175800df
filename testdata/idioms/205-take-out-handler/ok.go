// Package ok matches acknowledgements with probes.
package ok

import (
	"sync"
	"sync/atomic"
	"time"
)

type ackMessage struct {
	Complete  bool
	Payload   []byte
	Timestamp time.Time
}

type ackHandler struct {
	ackFn  func([]byte, time.Time)
	nackFn func()
	timer  *time.Timer
}

type ackResp struct {
	SeqNo   uint32
	Payload []byte
}

// Memberlist probes other members.
type Memberlist struct {
	sequenceNum atomic.Uint32
	send        func(seqNo uint32) error

	ackLock     sync.Mutex
	ackHandlers map[uint32]*ackHandler
}

func (m *Memberlist) nextSeqNo() uint32 { return m.sequenceNum.Add(1) }

// setProbeChannels is used to attach the ackCh to receive a message when an ack
// with a given sequence number is received. The timer reports the end.
func (m *Memberlist) setProbeChannels(seqNo uint32, ackCh chan ackMessage, nackCh chan struct{}, timeout time.Duration) {
	// Create handler functions for acks and nacks
	ackFn := func(payload []byte, timestamp time.Time) {
		select {
		case ackCh <- ackMessage{true, payload, timestamp}:
		default:
		}
	}
	nackFn := func() {
		select {
		case nackCh <- struct{}{}:
		default:
		}
	}

	// Add the handlers. The timer cannot run before they are in the map.
	m.ackLock.Lock()
	defer m.ackLock.Unlock()
	m.ackHandlers[seqNo] = &ackHandler{ackFn, nackFn, time.AfterFunc(timeout, func() {
		m.ackLock.Lock()
		delete(m.ackHandlers, seqNo)
		m.ackLock.Unlock()
		select {
		case ackCh <- ackMessage{false, nil, time.Now()}:
		default:
		}
	})}
}

// invokeAckHandler invokes an ack handler if any is associated, and reaps the
// handler immediately
func (m *Memberlist) invokeAckHandler(ack ackResp, timestamp time.Time) {
	m.ackLock.Lock()
	ah, ok := m.ackHandlers[ack.SeqNo]
	delete(m.ackHandlers, ack.SeqNo)
	m.ackLock.Unlock()
	if !ok {
		return
	}
	ah.timer.Stop()
	ah.ackFn(ack.Payload, timestamp)
}

// invokeNackHandler invokes nack handler if any is associated. The handler
// stays, an ack may still come.
func (m *Memberlist) invokeNackHandler(seqNo uint32) {
	m.ackLock.Lock()
	ah, ok := m.ackHandlers[seqNo]
	m.ackLock.Unlock()
	if !ok || ah.nackFn == nil {
		return
	}
	ah.nackFn()
}

// probe returns whether the other side has answered in time.
func (m *Memberlist) probe(timeout time.Duration) bool {
	seqNo := m.nextSeqNo()
	// Both channels have room for everything that can be sent.
	ackCh := make(chan ackMessage, 2)
	nackCh := make(chan struct{}, 4)
	m.setProbeChannels(seqNo, ackCh, nackCh, timeout)
	if err := m.send(seqNo); err != nil {
		return false
	}
	v := <-ackCh
	return v.Complete
}
