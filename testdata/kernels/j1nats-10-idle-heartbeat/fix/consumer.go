package server

import (
	"fmt"
	"sync"
	"time"
)

// Headers of an idle heartbeat.
const (
	JSLastConsumerSeq = "Nats-Last-Consumer"
	JSLastStreamSeq   = "Nats-Last-Stream"
)

// ConsumerConfig is the configuration of a push consumer.
type ConsumerConfig struct {
	DeliverSubject string
	Heartbeat      time.Duration
}

// consumer delivers the messages of a stream.
type consumer struct {
	mu     sync.RWMutex
	mset   *stream // nil once closed
	cfg    ConsumerConfig
	sseq   uint64 // next stream sequence
	dseq   uint64 // next delivery sequence
	active bool
	outq   *jsOutQ
	mch    chan struct{}
	inch   chan bool
	qch    chan struct{}
}

// signalNewMessages wakes the delivery loop.
func (o *consumer) signalNewMessages() {
	select {
	case o.mch <- struct{}{}:
	default:
	}
}

// InterestChanged is called when the deliver subject gets or loses interest.
func (o *consumer) InterestChanged(interest bool) {
	select {
	case o.inch <- interest:
	case <-o.qch:
	}
}

func (o *consumer) updateDeliveryInterest(interest bool) {
	o.mu.Lock()
	o.active = interest
	o.mu.Unlock()
}

func (o *consumer) isActive() bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.active
}

func (o *consumer) lastDelivered() (sseq, dseq uint64) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.sseq - 1, o.dseq - 1
}

// purge is called when the stream was purged up to a sequence.
func (o *consumer) purge(sseq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.sseq < sseq {
		o.sseq = sseq
	}
}

// Stop ends the delivery. It may be called more than once.
func (o *consumer) Stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.mset != nil {
		o.mset = nil
		close(o.qch)
	}
}

// Lock should be held.
func (o *consumer) deliverMsg(sm *storedMsg) {
	dseq := o.dseq
	o.dseq++
	o.sseq = sm.seq + 1
	o.outq.send(&jsPubMsg{
		subj:  o.cfg.DeliverSubject,
		reply: fmt.Sprintf("$JS.ACK.%d.%d", sm.seq, dseq),
		msg:   sm.msg,
	})
}

func (o *consumer) loopAndGatherMsgs(qch chan struct{}) {
	hbd := o.cfg.Heartbeat
	hb := time.NewTimer(hbd)
	defer hb.Stop()

	// Deliver all the msgs we have now, once done or on a condition, we wait for new ones.
	for {
		o.mu.Lock()
		// consumer is closed when mset is set to nil.
		if o.mset == nil {
			o.mu.Unlock()
			return
		}

		// If we are not active let's stop sending.
		if o.active {
			if sm := o.mset.store.loadNextMsg(o.sseq); sm != nil {
				o.deliverMsg(sm)
				// Reset our idle heartbeat timer.
				hb.Reset(hbd)
				o.mu.Unlock()
				continue
			}
		}

		// We will wait here for new messages to arrive.
		mch, outq, odsubj := o.mch, o.outq, o.cfg.DeliverSubject
		o.mu.Unlock()

		select {
		case interest := <-o.inch:
			o.updateDeliveryInterest(interest)
		case <-qch:
			return
		case <-mch:
			// Messages are waiting.
		case <-hb.C:
			if o.isActive() {
				const t = "NATS/1.0 100 Idle Heartbeat\r\n%s: %d\r\n%s: %d\r\n\r\n"
				sseq, dseq := o.lastDelivered()
				hdr := fmt.Appendf(nil, t, JSLastConsumerSeq, dseq, JSLastStreamSeq, sseq)
				outq.send(&jsPubMsg{subj: odsubj, hdr: hdr})
			}
			// Reset our idle heartbeat timer.
			hb.Reset(hbd)
		}
	}
}
