package ok

import (
	"errors"
	"sync"
)

var ErrClosed = errors.New("connection closed")

type FileInfo struct {
	Name    string
	Version uint64
}

type message struct {
	update bool
	repo   string
	files  []FileInfo
}

// rawConnection is one connection of the block exchange protocol.
type rawConnection struct {
	id string

	indexSent map[string]map[string]uint64
	awaiting  map[int]chan error
	closedErr error
	imut      sync.Mutex // guards indexSent, awaiting and closedErr

	idxMut sync.Mutex // ensures serialization of Index calls

	outbox    chan message
	closed    chan struct{}
	closeOnce sync.Once
}

func newConnection(id string) *rawConnection {
	c := &rawConnection{
		id:        id,
		indexSent: make(map[string]map[string]uint64),
		awaiting:  make(map[int]chan error),
		outbox:    make(chan message),
		closed:    make(chan struct{}),
	}
	return c
}

// Index writes the list of file information to the connected peer node. The
// peer gets a full index first and differences to it afterwards; they must
// go out in the order in which they were computed.
func (c *rawConnection) Index(repo string, idx []FileInfo) error {
	c.idxMut.Lock()
	defer c.idxMut.Unlock()

	c.imut.Lock()
	update := c.indexSent[repo] != nil
	if !update {
		// This is the first time we send an index.
		c.indexSent[repo] = make(map[string]uint64)
		for _, f := range idx {
			c.indexSent[repo][f.Name] = f.Version
		}
	} else {
		// We have sent one full index. Only send updates now.
		var diff []FileInfo
		for _, f := range idx {
			if vs, ok := c.indexSent[repo][f.Name]; !ok || f.Version != vs {
				diff = append(diff, f)
				c.indexSent[repo][f.Name] = f.Version
			}
		}
		idx = diff
	}
	c.imut.Unlock()

	if len(idx) > 0 {
		return c.send(message{update, repo, idx})
	}
	return nil
}

func (c *rawConnection) send(m message) error {
	select {
	case c.outbox <- m:
		return nil
	case <-c.closed:
		return ErrClosed
	}
}

// close is called by the reader and the writer; it must not wait for a send.
func (c *rawConnection) close(err error) {
	c.imut.Lock()
	if c.closedErr == nil {
		c.closedErr = err
	}
	for id, ch := range c.awaiting {
		ch <- err
		delete(c.awaiting, id)
	}
	c.imut.Unlock()
	c.closeOnce.Do(func() { close(c.closed) })
}

// await registers a request; the channel takes one result without a receiver.
func (c *rawConnection) await(id int) <-chan error {
	ch := make(chan error, 1)
	c.imut.Lock()
	defer c.imut.Unlock()
	if c.closedErr != nil {
		ch <- c.closedErr
		return ch
	}
	c.awaiting[id] = ch
	return ch
}
