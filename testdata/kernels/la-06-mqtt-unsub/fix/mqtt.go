package server

import (
	"fmt"
	"log"
	"strings"
	"sync"
)

const mqttStreamSubjectPrefix = "$MQTT.msgs."

type mqttPending struct {
	sseq         uint64 // stream sequence
	jsAckSubject string // the ACK subject to send the ack to
	jsDur        string // JS durable name
}

type mqttSession struct {
	// subsMu is a "quick" version of the session lock, sufficient for the QoS0
	// callback. It only guarantees that a new subscription is initialized, and
	// its retained messages if any have been queued up for delivery. The QoS12
	// callback uses the session lock.
	mu     sync.Mutex
	subsMu sync.RWMutex

	id   string // client ID
	jsa  *mqttJSA
	c    *client
	maxp uint16

	// Server writes "pending" messages to this map, from the JS callback,
	// keyed by the packet identifier.
	pendingPublish map[uint16]*mqttPending
	// Maps durable -> stream sequence -> packet identifier.
	cpending map[string]map[uint64]uint16
	last_pi  uint16

	// Sid -> consumer. Accessed by the client's readLoop only.
	cons map[string]*ConsumerConfig
}

type mqttSub struct {
	// The sub's QOS and the JS durable name. They can change when
	// re-subscribing, and are used in the delivery callbacks. They can be
	// quickly accessed using sess.subsMu.RLock, or under the main session lock.
	qos   byte
	jsDur string

	// closed marks the subscription as torn down (unsubscribe) so QoS 1/2
	// delivery callbacks stop tracking new messages for
	// it. Guarded like qos/jsDur (sess.mu or sess.subsMu). Unlike clearing
	// sub.mqtt, this keeps the struct valid for an in-flight enqueue.
	closed bool
}

type ConsumerConfig struct {
	Durable        string
	DeliverSubject string
	MaxAckPending  int
}

func newMQTTSession(id string, jsa *mqttJSA, c *client) *mqttSession {
	return &mqttSession{
		id:   id,
		jsa:  jsa,
		c:    c,
		maxp: 1024,
		cons: make(map[string]*ConsumerConfig),
	}
}

// bumpPI returns the next unused packet identifier.
//
// Lock held on entry
func (sess *mqttSession) bumpPI() uint16 {
	next := sess.last_pi
	for i := 0; i < 0xFFFF; i++ {
		next++
		if next == 0 {
			next = 1
		}
		if _, used := sess.pendingPublish[next]; !used {
			sess.last_pi = next
			return next
		}
	}
	return 0
}

// trackPublish is invoked when a (QoS) PUBLISH message is to be delivered. It
// adds the message to the tracking maps. Returns a PI to use for the message.
//
// Lock held on entry
func (sess *mqttSession) trackPublish(jsDur string, sseq uint64, jsAckSubject string) uint16 {
	// Make sure we initialize the tracking maps.
	if sess.pendingPublish == nil {
		sess.pendingPublish = make(map[uint16]*mqttPending)
	}
	if sess.cpending == nil {
		sess.cpending = make(map[string]map[uint64]uint16)
	}

	sseqToPi, ok := sess.cpending[jsDur]
	if !ok {
		sseqToPi = make(map[uint64]uint16)
		sess.cpending[jsDur] = sseqToPi
	}
	pi := sseqToPi[sseq]
	if pi == 0 {
		// sess.maxp will always have a value > 0.
		if len(sess.pendingPublish) >= int(sess.maxp) {
			// Indicate that we did not assign a packet identifier.
			// The caller will not send the message to the subscription
			// and JS will redeliver later, based on consumer's AckWait.
			return 0
		}
		if pi = sess.bumpPI(); pi == 0 {
			return 0
		}
		sseqToPi[sseq] = pi
	}
	sess.pendingPublish[pi] = &mqttPending{
		jsDur:        jsDur,
		sseq:         sseq,
		jsAckSubject: jsAckSubject,
	}
	return pi
}

// Stops a PI from being tracked as a PUBLISH.
//
// Lock held on entry
func (sess *mqttSession) untrackPublish(pi uint16) (jsAckSubject string) {
	ack, ok := sess.pendingPublish[pi]
	if !ok {
		return ""
	}
	delete(sess.pendingPublish, pi)
	if sseqToPi := sess.cpending[ack.jsDur]; sseqToPi != nil {
		delete(sseqToPi, ack.sseq)
	}
	return ack.jsAckSubject
}

// Process a PUBACK packet.
// <Invoked from the client's readLoop>
func (c *client) mqttProcessPubAck(pi uint16) {
	sess := c.sess
	sess.mu.Lock()
	if sess.c != c {
		sess.mu.Unlock()
		return
	}
	ackSubject := sess.untrackPublish(pi)
	sess.mu.Unlock()
	if ackSubject != "" {
		sess.jsa.sendAck(ackSubject)
	}
}

// Invoked when processing a SUBSCRIBE with QoS 1 or 2: creates the JS durable
// consumer and the subscription on its deliver subject.
func (sess *mqttSession) processJSConsumer(c *client, subject, sid string, qos byte) error {
	if _, exists := sess.cons[sid]; exists {
		return nil
	}
	dur := fmt.Sprintf("%s_%d", sess.id, sess.jsa.nextID())
	cc := &ConsumerConfig{
		Durable:        dur,
		DeliverSubject: "$MQTT.sub." + dur,
		MaxAckPending:  100,
	}
	sub := &subscription{
		client:  c,
		sid:     cc.DeliverSubject,
		subject: subject,
		icb:     mqttDeliverMsgCbQoS12,
		mqtt:    &mqttSub{qos: qos, jsDur: dur},
	}
	c.processSub(sub)
	if err := sess.jsa.createDurableConsumer(cc, sub); err != nil {
		c.processUnsub(cc.DeliverSubject)
		return err
	}
	sess.cons[sid] = cc
	return nil
}

// Invoked when the MQTT client unsubscribes from the given filters.
// <Invoked from the client's readLoop>
func (c *client) mqttProcessUnsubs(filters []string) error {
	sess := c.sess

	removeJSCons := func(sid string) {
		cc, ok := sess.cons[sid]
		if ok {
			delete(sess.cons, sid)
			sess.jsa.deleteConsumer(cc.Durable)

			c.mu.Lock()
			sub := c.subs[cc.DeliverSubject]
			c.mu.Unlock()

			// Need lock here since these are accessed by callbacks
			sess.mu.Lock()
			// Mark the delivery sub closed so an in-flight QoS 1/2 callback stops
			// tracking new messages after the purge (deleteConsumer is async).
			if sub != nil && sub.mqtt != nil {
				sess.subsMu.Lock()
				sub.mqtt.closed = true
				sess.subsMu.Unlock()
			}
			if seqPis, ok := sess.cpending[cc.Durable]; ok {
				delete(sess.cpending, cc.Durable)
				for _, pi := range seqPis {
					delete(sess.pendingPublish, pi)
				}
				// last_pi stays monotonic (see untrackPublish); do not reset here.
			}
			sess.mu.Unlock()
			c.processUnsub(cc.DeliverSubject)
		}
	}
	for _, sid := range filters {
		// Remove JS Consumer if one exists for this sid
		removeJSCons(sid)
		c.processUnsub(sid)
	}
	return nil
}

// This is the callback attached to a JS durable subscription for a MQTT QoS 1+
// sub.
// <Invoked from the consumer's delivery loop>
func mqttDeliverMsgCbQoS12(sub *subscription, subject string, sseq uint64, reply string, msg []byte, qos byte) {
	if len(subject) < len(mqttStreamSubjectPrefix)+1 {
		return
	}

	// This is the client associated with the subscription.
	cc := sub.client

	// This is immutable
	sess := cc.sess

	// We lock to check some of the subscription's fields and if we need to keep
	// track of pending acks, etc. There is no need to acquire the subsMu RLock
	// since sess.Lock is overarching for modifying subscriptions.
	sess.mu.Lock()
	if sess.c != cc || sub.mqtt == nil || sub.mqtt.closed {
		sess.mu.Unlock()
		return
	}
	if qos > sub.mqtt.qos {
		qos = sub.mqtt.qos
	}
	if qos == 0 {
		sess.mu.Unlock()
		return
	}
	pi := sess.trackPublish(sub.mqtt.jsDur, sseq, reply)
	sess.mu.Unlock()

	if pi == 0 {
		// We have reached max pending, don't send the message now.
		// JS will cause a redelivery and if by then the number of pending
		// messages has fallen below threshold, the message will be resent.
		return
	}

	topic := strings.ReplaceAll(subject[len(mqttStreamSubjectPrefix):], ".", "/")
	if err := cc.mqttEnqueuePublishMsg(pi, qos, topic, msg); err != nil {
		log.Printf("unable to deliver to %q: %v", sess.id, err)
	}
}
