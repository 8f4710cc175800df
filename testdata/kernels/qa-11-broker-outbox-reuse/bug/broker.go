// Package broker is a small publish/subscribe server for field devices.
package broker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
)

const (
	outboxLimit = 1024
	spareLimit  = 256
)

// ErrBadLine is sent to clients that break the protocol.
var ErrBadLine = errors.New("broker: bad line")

// Message is published on a topic.
type Message struct {
	Topic   string
	Payload string
}

// outbox queues what is to be written to a client. The rings are big, and
// devices reconnect a lot, so they are used again.
type outbox struct {
	mu      sync.Mutex
	queue   []Message
	dropped int
	ready   chan struct{}
}

func newOutbox() *outbox {
	return &outbox{queue: make([]Message, 0, outboxLimit), ready: make(chan struct{}, 1)}
}

func (o *outbox) push(m Message) {
	o.mu.Lock()
	if len(o.queue) < outboxLimit {
		o.queue = append(o.queue, m)
	} else {
		o.dropped++
	}
	o.mu.Unlock()
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

func (o *outbox) take(into []Message) []Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	into = append(into[:0], o.queue...)
	o.queue = o.queue[:0]
	return into
}

func (o *outbox) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue, o.dropped = o.queue[:0], 0
}

// session is a connected client.
type session struct {
	tenant string
	box    *outbox
	topics []string
}

// Broker routes messages; topics are prefixed with the tenant.
type Broker struct {
	mu     sync.RWMutex
	topics map[string]map[*session]struct{}
	spare  []*outbox
}

// New returns a broker without clients.
func New() *Broker {
	return &Broker{topics: make(map[string]map[*session]struct{})}
}

func (b *Broker) connect(tenant string) *session {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &session{tenant: tenant}
	if n := len(b.spare); n > 0 {
		s.box, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		s.box = newOutbox()
	}
	return s
}

func (b *Broker) subscribe(s *session, topic string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	topic = s.tenant + "/" + topic
	subs, ok := b.topics[topic]
	if !ok {
		subs = make(map[*session]struct{})
		b.topics[topic] = subs
	}
	subs[s] = struct{}{}
	s.topics = append(s.topics, topic)
}

// disconnect forgets a client; its writer has ended.
func (b *Broker) disconnect(s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range s.topics {
		delete(b.topics[t], s)
		if len(b.topics[t]) == 0 {
			delete(b.topics, t)
		}
	}
	s.box.reset()
	if len(b.spare) < spareLimit {
		b.spare = append(b.spare, s.box)
	}
}

// Publish queues a message for the subscribers of its topic and returns how
// many there are.
func (b *Broker) Publish(tenant string, m Message) int {
	b.mu.RLock()
	subs := b.topics[tenant+"/"+m.Topic]
	boxes := make([]*outbox, 0, len(subs))
	for s := range subs {
		boxes = append(boxes, s.box)
	}
	b.mu.RUnlock()

	for _, box := range boxes {
		box.push(m)
	}
	return len(boxes)
}

// Serve runs a connection of an authenticated tenant.
func (b *Broker) Serve(ctx context.Context, tenant string, conn net.Conn) error {
	ctx, cancel := context.WithCancel(ctx)
	defer conn.Close()
	s := b.connect(tenant)
	var wg sync.WaitGroup
	wg.Go(func() { write(ctx, conn, s.box) })
	defer b.disconnect(s)
	defer wg.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()

	sc := bufio.NewScanner(conn)
	for sc.Scan() {
		verb, rest, _ := strings.Cut(sc.Text(), " ")
		switch verb {
		case "SUB":
			b.subscribe(s, rest)
		case "PUB":
			topic, payload, ok := strings.Cut(rest, " ")
			if !ok {
				return ErrBadLine
			}
			b.Publish(tenant, Message{Topic: topic, Payload: payload})
		default:
			return ErrBadLine
		}
	}
	return sc.Err()
}

func write(ctx context.Context, conn net.Conn, box *outbox) {
	var batch []Message
	for {
		select {
		case <-ctx.Done():
			return
		case <-box.ready:
		}
		batch = box.take(batch)
		for _, m := range batch {
			if _, err := fmt.Fprintf(conn, "MSG %s %s\n", m.Topic, m.Payload); err != nil {
				_ = conn.Close()
				return
			}
		}
	}
}
