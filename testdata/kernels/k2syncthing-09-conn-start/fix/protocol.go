package model

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// ErrClosed is returned for a connection that was closed.
var ErrClosed = errors.New("connection closed")

// receiver gets what the other side sends.
type receiver interface {
	// An index was received from the peer device
	Index(deviceID, folder string, files []string)
	// The peer device closed the connection
	Close(deviceID string, err error)
}

type rawConnection struct {
	id       string
	receiver receiver
	conn     net.Conn

	idxMut sync.Mutex // ensures serialization of Index calls

	outbox chan string
	closed chan struct{}
	once   sync.Once
}

// NewConnection returns a connection with a device.
func NewConnection(deviceID string, conn net.Conn, receiver receiver) *rawConnection {
	return &rawConnection{
		id:       deviceID,
		receiver: receiver,
		conn:     conn,
		outbox:   make(chan string),
		closed:   make(chan struct{}),
	}
}

// Start creates the goroutines for sending and receiving of messages. It must
// be called exactly once after creating a connection.
func (c *rawConnection) Start() {
	go c.readerLoop()
	go c.writerLoop()
}

func (c *rawConnection) ID() string {
	return c.id
}

// Index writes the list of files to the connected peer device
func (c *rawConnection) Index(folder string, files []string) error {
	c.idxMut.Lock()
	defer c.idxMut.Unlock()
	if !c.send("index " + folder + " " + strings.Join(files, " ")) {
		return ErrClosed
	}
	return nil
}

// ClusterConfig send the cluster configuration message to the peer
func (c *rawConnection) ClusterConfig(folders []string) {
	c.send("config " + strings.Join(folders, " "))
}

func (c *rawConnection) readerLoop() (err error) {
	defer func() {
		c.close(err)
	}()

	rd := bufio.NewScanner(c.conn)
	for rd.Scan() {
		words := strings.Fields(rd.Text())
		switch {
		case len(words) == 0 || words[0] == "ping":
		case words[0] == "config":
		case words[0] == "index" && len(words) > 1:
			c.receiver.Index(c.id, words[1], words[2:])
		default:
			return errors.New("protocol error: unknown message")
		}
	}
	if rd.Err() == nil {
		return io.EOF
	}
	return rd.Err()
}

func (c *rawConnection) writerLoop() {
	ticker := time.NewTicker(30 * time.Second)
	defer ticker.Stop()
	for {
		msg := "ping"
		select {
		case msg = <-c.outbox:
		case <-ticker.C:
		case <-c.closed:
			return
		}
		if _, err := io.WriteString(c.conn, msg+"\n"); err != nil {
			c.close(err)
			return
		}
	}
}

func (c *rawConnection) send(msg string) bool {
	select {
	case c.outbox <- msg:
		return true
	case <-c.closed:
		return false
	}
}

func (c *rawConnection) close(err error) {
	c.once.Do(func() {
		close(c.closed)
		go c.receiver.Close(c.id, err)
	})
}
