package objects

import (
	"encoding/hex"
	"encoding/json"
	"sync"
)

type writer interface {
	Header() header
	Write(b []byte)
}

type header map[string]string

func (h header) Set(k, v string) {}

// A Sheet has rows and a tag that says which they are.
type Sheet struct {
	mu   sync.Mutex
	rows []string
	tag  string
}

func (s *Sheet) Replace(rows []string, tag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.tag = rows, tag
}

func (s *Sheet) Tag() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tag
}

func (s *Sheet) encode() ([]byte, error) {
	s.mu.Lock()
	rows := s.rows
	s.mu.Unlock()
	return json.Marshal(struct{ Rows []string }{rows})
}

// Serve sends the rows of one time with the tag of another. That the text could be made says nothing of the rows.
func (s *Sheet) Serve(w writer) error {
	body, err := s.encode()
	if err != nil {
		return err
	}
	w.Header().Set("ETag", s.Tag()) // want `split-read: s\.rows at line \d+ and s\.tag here are read apart`
	w.Write(body)
	return nil
}

// A Hook has a place to send to, and the secret that goes with it.
type Hook struct {
	mu     sync.Mutex
	url    string
	secret []byte
}

func (h *Hook) Move(url string, secret []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.url, h.secret = url, secret
}

func (h *Hook) URL() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.url
}

func (h *Hook) Secret() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.secret
}

// Send signs what goes to one place by the secret of another. A text that is made of bytes alone is no text for people.
func (h *Hook) Send(open func(url string) writer) {
	w := open(h.URL())
	w.Header().Set("Signature", hex.EncodeToString(h.Secret())) // want `split-read: h\.url at line \d+ and h\.secret here are read apart`
	w.Write(nil)
}

// An Apex has many fields, and is one variable of a zone.
type Apex struct {
	Serial                        uint32
	Name, Box                     string
	Refresh, Retry, Expire, Least uint32
	Class, Type                   string
}

type Zone struct {
	mu      sync.Mutex
	apex    Apex
	records []string
}

func (z *Zone) Load(a Apex, records []string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.apex = a
	z.records = records
}

func (z *Zone) Apex() Apex {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.apex
}

func (z *Zone) Records() []string {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.records
}

func (z *Zone) Transfer(send func(serial uint32, records []string)) {
	body := z.Records()
	send(z.Apex().Serial, body) // want `split-read: z\.records at line \d+ and z\.apex\S* here are read apart`
}
