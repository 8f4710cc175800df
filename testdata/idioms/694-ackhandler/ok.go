// Package probe pings members and waits for their acks.
package probe

import (
	"context"
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errNoAck    = errors.New("no ack")
	errShutdown = errors.New("prober is shut down")
)

type ackMessage struct {
	Complete  bool
	Payload   []byte
	Timestamp time.Time
}

// ackHandler is used to register handlers for incoming acks and nacks.
type ackHandler struct {
	ackFn  func([]byte, time.Time)
	nackFn func()
	timer  *time.Timer
}

type ackResp struct {
	SeqNo   uint32
	Payload []byte
}

type nackResp struct {
	SeqNo uint32
}

// Transport sends packets and delivers those of others.
type Transport interface {
	SendPing(addr string, seqNo uint32) error
	SendIndirect(via, addr string, seqNo uint32) error
	PacketCh() <-chan any
}

type Prober struct {
	sequenceNum uint32
	transport   Transport
	timeout     time.Duration
	interval    time.Duration
	logger      *log.Logger

	ackLock     sync.Mutex
	ackHandlers map[uint32]*ackHandler

	shutdown   atomic.Bool
	shutdownCh chan struct{}
}

func New(t Transport, timeout, interval time.Duration, logger *log.Logger) *Prober {
	p := &Prober{
		transport:   t,
		timeout:     timeout,
		interval:    interval,
		logger:      logger,
		ackHandlers: make(map[uint32]*ackHandler),
		shutdownCh:  make(chan struct{}),
	}
	go p.packetListen()
	return p
}

func (p *Prober) packetListen() {
	for {
		select {
		case pkt := <-p.transport.PacketCh():
			switch msg := pkt.(type) {
			case ackResp:
				p.invokeAckHandler(msg, time.Now())
			case nackResp:
				p.invokeNackHandler(msg)
			default:
				p.logger.Printf("[WARN] probe: unknown packet %T", pkt)
			}
		case <-p.shutdownCh:
			return
		}
	}
}

func (p *Prober) nextSeqNo() uint32 { return atomic.AddUint32(&p.sequenceNum, 1) }

// setProbeChannels is used to attach the ackCh to receive a message when an ack
// with a given sequence number is received. The `complete` field of the message
// will be false on timeout. Any nack messages will cause an empty struct to be
// passed to the nackCh, which can be nil if not needed.
func (p *Prober) setProbeChannels(seqNo uint32, ackCh chan<- ackMessage, nackCh chan<- struct{}, timeout time.Duration) {
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

	p.ackLock.Lock()
	defer p.ackLock.Unlock()
	ah := &ackHandler{ackFn: ackFn, nackFn: nackFn}
	p.ackHandlers[seqNo] = ah
	ah.timer = time.AfterFunc(timeout, func() {
		p.ackLock.Lock()
		delete(p.ackHandlers, seqNo)
		p.ackLock.Unlock()
		select {
		case ackCh <- ackMessage{false, nil, time.Now()}:
		default:
		}
	})
}

// invokeAckHandler is used to invoke any associated ack handler if any is registered.
func (p *Prober) invokeAckHandler(ack ackResp, timestamp time.Time) {
	p.ackLock.Lock()
	ah, ok := p.ackHandlers[ack.SeqNo]
	delete(p.ackHandlers, ack.SeqNo)
	p.ackLock.Unlock()
	if !ok {
		return
	}
	ah.timer.Stop()
	ah.ackFn(ack.Payload, timestamp)
}

// invokeNackHandler is used to invoke any associated nack handler if any is registered.
func (p *Prober) invokeNackHandler(nack nackResp) {
	p.ackLock.Lock()
	ah, ok := p.ackHandlers[nack.SeqNo]
	p.ackLock.Unlock()
	if !ok || ah.nackFn == nil {
		return
	}
	ah.nackFn()
}

// Ping initiates a ping to the node with the specified address and returns the
// round trip time. If there is no answer in time, other members are asked.
func (p *Prober) Ping(ctx context.Context, addr string, relays []string) (time.Duration, error) {
	if p.shutdown.Load() {
		return 0, errShutdown
	}
	seqNo := p.nextSeqNo()
	ackCh := make(chan ackMessage, len(relays)+2)
	nackCh := make(chan struct{}, len(relays)+1)
	p.setProbeChannels(seqNo, ackCh, nackCh, p.interval)

	sent := time.Now()
	if err := p.transport.SendPing(addr, seqNo); err != nil {
		return 0, err
	}
	select {
	case v := <-ackCh:
		if v.Complete {
			return v.Timestamp.Sub(sent), nil
		}
		return 0, errNoAck
	case <-time.After(p.timeout):
	case <-ctx.Done():
		return 0, ctx.Err()
	}

	// Get some random live nodes.
	for _, via := range relays {
		if err := p.transport.SendIndirect(via, addr, seqNo); err != nil {
			p.logger.Printf("[ERR] probe: Failed to send indirect ping: %s", err)
		}
	}
	select {
	case v := <-ackCh:
		if v.Complete {
			return v.Timestamp.Sub(sent), nil
		}
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	p.logger.Printf("[DEBUG] probe: %d of %d relays answered", len(nackCh), len(relays))
	return 0, errNoAck
}

// Shutdown stops the listener, pending pings run into their timeout.
func (p *Prober) Shutdown() {
	if p.shutdown.CompareAndSwap(false, true) {
		close(p.shutdownCh)
	}
}
