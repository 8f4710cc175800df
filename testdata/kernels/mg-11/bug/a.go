package a

import (
	"errors"
	"strings"
	"sync"
)

var errExiting = errors.New("exiting")

// Message is shared by the channels of a topic and not modified.
type Message struct {
	Body []byte
}

// Consumer is a connected client.
type Consumer interface {
	Deliver(m *Message)
}

// Channel is a stream of the messages of a topic for a group of consumers. An
// ephemeral channel goes away with its last consumer.
type Channel struct {
	name           string
	ephemeral      bool
	deleteCallback func(*Channel)

	mu      sync.Mutex
	exiting bool
	clients map[int64]Consumer
	backlog []*Message
}

func newChannel(name string, deleteCallback func(*Channel)) *Channel {
	return &Channel{
		name:           name,
		ephemeral:      strings.HasSuffix(name, "#ephemeral"),
		deleteCallback: deleteCallback,
		clients:        make(map[int64]Consumer),
	}
}

// PutMessage hands the message to one of the consumers, or keeps it.
func (c *Channel) PutMessage(m *Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.exiting {
		return errExiting
	}
	for _, cons := range c.clients {
		cons.Deliver(m)
		return nil
	}
	c.backlog = append(c.backlog, m)
	return nil
}

// AddClient adds a consumer, which also gets the backlog.
func (c *Channel) AddClient(id int64, cons Consumer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients[id] = cons
	for _, m := range c.backlog {
		cons.Deliver(m)
	}
	c.backlog = nil
}

// RemoveClient removes a consumer that has gone.
func (c *Channel) RemoveClient(id int64) {
	c.mu.Lock()
	if _, ok := c.clients[id]; !ok {
		c.mu.Unlock()
		return
	}
	delete(c.clients, id)
	last := c.ephemeral && len(c.clients) == 0
	if last {
		c.exiting = true
	}
	c.mu.Unlock()
	if last {
		c.deleteCallback(c)
	}
}

type Topic struct {
	mu       sync.RWMutex
	channels map[string]*Channel
}

func NewTopic() *Topic {
	return &Topic{channels: make(map[string]*Channel)}
}

// GetChannel returns the channel of a name, which it creates if need be.
func (t *Topic) GetChannel(name string) *Channel {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.channels[name]
	if !ok {
		c = newChannel(name, t.deleteChannel)
		t.channels[name] = c
	}
	return c
}

func (t *Topic) deleteChannel(c *Channel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.channels[c.name] == c {
		delete(t.channels, c.name)
	}
}

// Publish puts the message into every channel; one that is on its way out is
// passed over.
func (t *Topic) Publish(m *Message) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, c := range t.channels {
		_ = c.PutMessage(m)
	}
}

// clientV2 is the state of a connection; it is used by its read loop only.
// Only the queue is shared, with the write loop.
type clientV2 struct {
	ID      int64
	channel *Channel

	mu    sync.Mutex
	queue []*Message
}

func (cl *clientV2) Deliver(m *Message) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	cl.queue = append(cl.queue, m)
}

type protocolV2 struct {
	topic *Topic
}

// SUB subscribes the client to a channel.
func (p *protocolV2) SUB(client *clientV2, channelName string) error {
	if client.channel != nil {
		return errors.New("cannot SUB in current state")
	}
	channel := p.topic.GetChannel(channelName)
	channel.AddClient(client.ID, client)
	client.channel = channel
	return nil
}

// Close is called by the read loop when the connection has ended.
func (p *protocolV2) Close(client *clientV2) {
	if client.channel != nil {
		client.channel.RemoveClient(client.ID)
		client.channel = nil
	}
}
