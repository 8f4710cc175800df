// Package chatroom is the room of a chat service: a log of messages and the
// people who follow it live.
package chatroom

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Message is a line in a room.
type Message struct {
	ID   int       `json:"id"`
	From string    `json:"from"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// Member follows a room. It gets Backlog first and then everything that
// arrives on Live; Live is closed when the member has fallen too far behind
// or has left.
type Member struct {
	Name    string
	Backlog []Message
	live    chan Message
}

// Live delivers the messages posted after the backlog.
func (m *Member) Live() <-chan Message { return m.live }

// Room is safe for concurrent use.
type Room struct {
	// baton guards the fields below; whoever has taken it owns them. It is a
	// channel so that handlers can give up waiting when a request is cancelled.
	baton chan struct{}

	nextID  int
	log     []Message
	members map[*Member]struct{}
}

// New returns an empty room.
func New() *Room {
	r := &Room{
		baton:   make(chan struct{}, 1),
		nextID:  1,
		members: make(map[*Member]struct{}),
	}
	r.baton <- struct{}{}
	return r
}

// take gets the baton, or reports false if cancel fires first.
func (r *Room) take(cancel <-chan struct{}) bool {
	select {
	case <-r.baton:
		return true
	case <-cancel:
		return false
	}
}

func (r *Room) give() { r.baton <- struct{}{} }

// Post adds a message to the room and passes it on to its members.
func (r *Room) Post(from, text string, cancel <-chan struct{}) (Message, bool) {
	if !r.take(cancel) {
		return Message{}, false
	}
	defer r.give()
	msg := Message{ID: r.nextID, From: from, Text: text, At: time.Now()}
	r.nextID++
	r.log = append(r.log, msg)
	for m := range r.members {
		select {
		case m.live <- msg:
		default:
			delete(r.members, m)
			close(m.live)
		}
	}
	return msg, true
}

// Join adds a member, who is shown the last n messages to begin with.
func (r *Room) Join(name string, n int, cancel <-chan struct{}) (*Member, bool) {
	m := &Member{Name: name, live: make(chan Message, 128)}
	if !r.take(cancel) {
		return nil, false
	}
	defer r.give()
	m.Backlog = r.recent(n)
	r.members[m] = struct{}{}
	return m, true
}

// recent returns the last n messages. The caller has the baton.
func (r *Room) recent(n int) []Message {
	from := max(0, len(r.log)-n)
	return append([]Message(nil), r.log[from:]...)
}

// Leave ends live delivery to m.
func (r *Room) Leave(m *Member) {
	r.take(nil)
	defer r.give()
	if _, ok := r.members[m]; ok {
		delete(r.members, m)
		close(m.live)
	}
}

// ServeHTTP streams the room on GET and posts to it on POST.
func (r *Room) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	name, done := req.FormValue("name"), req.Context().Done()
	if req.Method == http.MethodPost {
		if _, ok := r.Post(name, req.FormValue("text"), done); !ok {
			http.Error(w, "cancelled", http.StatusServiceUnavailable)
		}
		return
	}
	m, ok := r.Join(name, 50, done)
	if !ok {
		return
	}
	defer r.Leave(m)
	w.Header().Set("Content-Type", "text/event-stream")
	for _, msg := range m.Backlog {
		writeEvent(w, msg)
	}
	for {
		select {
		case msg, ok := <-m.Live():
			if !ok {
				return
			}
			writeEvent(w, msg)
		case <-done:
			return
		}
	}
}

func writeEvent(w http.ResponseWriter, msg Message) {
	data, err := json.Marshal(msg)
	if err != nil {
		return
	}
	fmt.Fprintf(w, "id: %d\ndata: %s\n\n", msg.ID, data)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
