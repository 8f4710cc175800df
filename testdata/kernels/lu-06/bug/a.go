package a

import (
	"encoding/gob"
	"io"
	"sync"
	"time"
)

const (
	messageTypeIndex       = 1
	messageTypeIndexUpdate = 6
)

type FileInfo struct {
	Name    string
	Version uint64
}

type IndexMessage struct {
	Type  int
	Repo  string
	Files []FileInfo
}

type rawConnection struct {
	id string
	w  io.WriteCloser

	imut      sync.Mutex
	indexSent map[string]map[string]uint64

	outbox    chan IndexMessage
	closed    chan struct{}
	closeOnce sync.Once
}

func NewConnection(id string, w io.WriteCloser) *rawConnection {
	c := &rawConnection{id: id, w: w, outbox: make(chan IndexMessage), closed: make(chan struct{})}
	c.indexSent = make(map[string]map[string]uint64)
	go c.writerLoop()
	return c
}

// Index sends the files to the peer. The first message for a repository is a
// full index; later ones only carry what has changed since.
func (c *rawConnection) Index(repo string, idx []FileInfo) {
	c.imut.Lock()
	var msgType int
	if c.indexSent[repo] == nil {
		msgType = messageTypeIndex
		c.indexSent[repo] = make(map[string]uint64)
		for _, f := range idx {
			c.indexSent[repo][f.Name] = f.Version
		}
	} else {
		msgType = messageTypeIndexUpdate
		var diff []FileInfo
		for _, f := range idx {
			if vs, ok := c.indexSent[repo][f.Name]; !ok || f.Version > vs {
				diff = append(diff, f)
				c.indexSent[repo][f.Name] = f.Version
			}
		}
		idx = diff
	}
	c.imut.Unlock()

	c.send(IndexMessage{msgType, repo, idx})
}

func (c *rawConnection) send(msg IndexMessage) {
	select {
	case c.outbox <- msg:
	case <-c.closed:
	}
}

func (c *rawConnection) writerLoop() {
	enc := gob.NewEncoder(c.w)
	for {
		select {
		case msg := <-c.outbox:
			if err := enc.Encode(msg); err != nil {
				c.Close()
				return
			}
		case <-c.closed:
			return
		}
	}
}

func (c *rawConnection) Close() {
	c.closeOnce.Do(func() {
		close(c.closed)
		c.w.Close()
	})
}

type Model struct {
	mut   sync.RWMutex
	repos map[string][]FileInfo
	conns map[string]*rawConnection
}

func NewModel() *Model {
	m := &Model{repos: map[string][]FileInfo{}, conns: map[string]*rawConnection{}}
	go m.broadcastIndexLoop()
	return m
}

func (m *Model) ReplaceLocal(repo string, files []FileInfo) {
	m.mut.Lock()
	m.repos[repo] = files
	m.mut.Unlock()
}

func (m *Model) AddConnection(c *rawConnection) {
	m.mut.Lock()
	m.conns[c.id] = c
	m.mut.Unlock()
	go m.sendIndexes(c)
}

func (m *Model) sendIndexes(c *rawConnection) {
	m.mut.RLock()
	snap := make(map[string][]FileInfo, len(m.repos))
	for repo, files := range m.repos {
		snap[repo] = files
	}
	m.mut.RUnlock()
	for repo, files := range snap {
		c.Index(repo, files)
	}
}

func (m *Model) broadcastIndexLoop() {
	for range time.Tick(5 * time.Second) {
		m.mut.RLock()
		for _, c := range m.conns {
			go m.sendIndexes(c)
		}
		m.mut.RUnlock()
	}
}
