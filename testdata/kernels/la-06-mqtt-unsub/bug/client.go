package server

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errConnClosed = errors.New("connection closed")

type msgHandler func(sub *subscription, subject string, sseq uint64, reply string, msg []byte, qos byte)

type subscription struct {
	client  *client
	sid     string
	subject string
	icb     msgHandler
	mqtt    *mqttSub
}

type client struct {
	mu     sync.Mutex
	subs   map[string]*subscription
	out    [][]byte
	closed bool
	sess   *mqttSession
}

func (c *client) processSub(sub *subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subs[sub.sid] = sub
}

func (c *client) processUnsub(sid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.subs, sid)
}

func (c *client) mqttEnqueuePublishMsg(pi uint16, qos byte, topic string, msg []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errConnClosed
	}
	c.out = append(c.out, append([]byte{0x30 | qos<<1, byte(pi >> 8), byte(pi)}, append([]byte(topic), msg...)...))
	return nil
}

// mqttJSA is the JetStream side of the sessions of an account.
type mqttJSA struct {
	mu        sync.Mutex
	ids       atomic.Uint64
	consumers map[string]chan struct{}
	msgs      chan jsMsg
	acks      chan string
}

type jsMsg struct {
	subject string
	sseq    uint64
	reply   string
	msg     []byte
	qos     byte
}

func (jsa *mqttJSA) nextID() uint64 { return jsa.ids.Add(1) }

func (jsa *mqttJSA) createDurableConsumer(cc *ConsumerConfig, sub *subscription) error {
	quit := make(chan struct{})
	jsa.mu.Lock()
	jsa.consumers[cc.Durable] = quit
	jsa.mu.Unlock()
	go jsa.deliver(sub, quit)
	return nil
}

// deleteConsumer does not wait for the delivery loop.
func (jsa *mqttJSA) deleteConsumer(dur string) {
	jsa.mu.Lock()
	defer jsa.mu.Unlock()
	if quit, ok := jsa.consumers[dur]; ok {
		delete(jsa.consumers, dur)
		close(quit)
	}
}

func (jsa *mqttJSA) deliver(sub *subscription, quit chan struct{}) {
	for {
		select {
		case m := <-jsa.msgs:
			sub.icb(sub, m.subject, m.sseq, m.reply, m.msg, m.qos)
		case <-quit:
			return
		}
	}
}

func (jsa *mqttJSA) sendAck(subject string) {
	jsa.acks <- subject
}
