package bug

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"sync"
)

const raftPrefix = "/raft"

var errUnknownNode = errors.New("unknown node")

type Message struct {
	To   int64
	Data []byte
}

type transporter struct {
	mu      sync.RWMutex
	stopped bool
	urls    map[int64]string

	recv   chan *Message
	client *http.Client
	wg     sync.WaitGroup
	*http.ServeMux
}

func newTransporter() *transporter {
	t := &transporter{
		urls:   make(map[int64]string),
		recv:   make(chan *Message, 512),
		client: &http.Client{Transport: new(http.Transport)},
	}
	t.ServeMux = http.NewServeMux()
	t.ServeMux.HandleFunc("/raft/cfg/", t.serveCfg)
	t.ServeMux.HandleFunc(raftPrefix, t.serveRaft)
	return t
}

// stop returns when no request is in flight any more; none may start later.
func (t *transporter) stop() {
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()

	t.wg.Wait()
	tr := t.client.Transport.(*http.Transport)
	tr.CloseIdleConnections()
}

func (t *transporter) set(nodeID int64, rawurl string) error {
	u, err := url.Parse(rawurl)
	if err != nil {
		return err
	}
	u.Path = raftPrefix
	t.mu.Lock()
	t.urls[nodeID] = u.String()
	t.mu.Unlock()
	return nil
}

func (t *transporter) sendTo(nodeID int64, data []byte) error {
	t.mu.RLock()
	u := t.urls[nodeID]
	t.mu.RUnlock()

	if len(u) == 0 {
		return errUnknownNode
	}
	return t.send(u, data)
}

func (t *transporter) send(addr string, data []byte) error {
	t.mu.RLock()
	if t.stopped {
		t.mu.RUnlock()
		return fmt.Errorf("transporter stopped")
	}
	t.mu.RUnlock()

	buf := bytes.NewBuffer(data)
	t.wg.Add(1)
	defer t.wg.Done()
	resp, err := t.client.Post(addr, "application/octet-stream", buf)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (t *transporter) serveRaft(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case t.recv <- &Message{Data: b}:
	default:
	}
}

func (t *transporter) serveCfg(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(path.Base(r.URL.Path), 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t.mu.RLock()
	u, ok := t.urls[id]
	t.mu.RUnlock()
	if ok {
		_, _ = io.WriteString(w, u)
		return
	}
	http.Error(w, "Not Found", http.StatusNotFound)
}

type Server struct {
	t    *transporter
	msgs chan *Message
	quit chan struct{}
}

// run hands every message of the raft loop to a goroutine.
func (s *Server) run() {
	for {
		select {
		case m := <-s.msgs:
			go func() { _ = s.t.sendTo(m.To, m.Data) }()
		case <-s.quit:
			return
		}
	}
}

func (s *Server) Stop() {
	close(s.quit)
	s.t.stop()
}

func NewServer() *Server {
	s := &Server{t: newTransporter(), msgs: make(chan *Message), quit: make(chan struct{})}
	go s.run()
	return s
}
