// Package a distributes the messages of a topic over channels. Each channel
// gets every message, each subscriber of a channel gets a part of them.
package a

import (
	"errors"
	"strings"
	"sync"
)

var (
	ErrTopicClosed = errors.New("topic is closed")
	errExiting     = errors.New("channel is exiting")
)

// Client is one subscriber. Messages is closed when the subscription ends.
type Client struct {
	ID       int64
	Messages chan []byte
}

// Channel is a named group of subscribers.
type Channel struct {
	name      string
	ephemeral bool
	onEmpty   func(*Channel)

	mu      sync.Mutex
	clients map[int64]*Client
	exiting bool
	dropped int
}

func newChannel(name string, onEmpty func(*Channel)) *Channel {
	return &Channel{
		name:      name,
		ephemeral: strings.HasSuffix(name, "#ephemeral"),
		onEmpty:   onEmpty,
		clients:   make(map[int64]*Client),
	}
}

func (c *Channel) addClient(cl *Client) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.exiting {
		return errExiting
	}
	c.clients[cl.ID] = cl
	return nil
}

// RemoveClient ends a subscription. An ephemeral channel goes away with its
// last subscriber.
func (c *Channel) RemoveClient(id int64) {
	c.mu.Lock()
	cl, ok := c.clients[id]
	if !ok {
		c.mu.Unlock()
		return
	}
	delete(c.clients, id)
	close(cl.Messages)
	last := c.ephemeral && len(c.clients) == 0
	c.mu.Unlock()

	if last {
		c.onEmpty(c)
	}
}

// put hands msg to the first subscriber that has room for it.
func (c *Channel) put(msg []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cl := range c.clients {
		select {
		case cl.Messages <- msg:
			return
		default:
		}
	}
	c.dropped++
}

// exit ends all the subscriptions.
func (c *Channel) exit() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exiting = true
	for id, cl := range c.clients {
		delete(c.clients, id)
		close(cl.Messages)
	}
}

// Dropped returns how many messages found no subscriber with room.
func (c *Channel) Dropped() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropped
}

// Topic is a stream of messages.
type Topic struct {
	name string

	mu       sync.RWMutex
	channels map[string]*Channel
	closed   bool
}

// NewTopic returns a topic without channels.
func NewTopic(name string) *Topic {
	return &Topic{name: name, channels: make(map[string]*Channel)}
}

// channel returns the channel of that name and creates it if need be.
func (t *Topic) channel(name string) (*Channel, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, ErrTopicClosed
	}
	c, ok := t.channels[name]
	if !ok {
		c = newChannel(name, t.deleteChannel)
		t.channels[name] = c
	}
	return c, nil
}

// forget takes c out of the topic, unless another one has taken its name.
func (t *Topic) forget(c *Channel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.channels[c.name] == c {
		delete(t.channels, c.name)
	}
}

func (t *Topic) deleteChannel(c *Channel) {
	t.forget(c)
	c.exit()
}

// Subscribe adds a client to a channel.
func (t *Topic) Subscribe(channel string, cl *Client) (*Channel, error) {
	for {
		c, err := t.channel(channel)
		if err != nil {
			return nil, err
		}
		if err := c.addClient(cl); err == nil {
			return c, nil
		}
		// On its way out; make room for a new one.
		t.forget(c)
	}
}

// Publish hands msg to all the channels.
func (t *Topic) Publish(msg []byte) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return ErrTopicClosed
	}
	for _, c := range t.channels {
		c.put(msg)
	}
	return nil
}

// Close ends the topic and all its channels.
func (t *Topic) Close() {
	t.mu.Lock()
	t.closed = true
	chans := t.channels
	t.channels = make(map[string]*Channel)
	t.mu.Unlock()
	for _, c := range chans {
		c.exit()
	}
}
