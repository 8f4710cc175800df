package protocol

import (
	"encoding/binary"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

var errShortMessage = errors.New("message too short")

type message interface {
	typ() messageType
	size() int
	appendTo(buf []byte) []byte
}

type Request struct {
	ID     int32
	Name   string
	Offset int64
	Size   int32
}

func (*Request) typ() messageType { return messageTypeRequest }
func (r *Request) size() int      { return 16 + len(r.Name) }
func (r *Request) appendTo(buf []byte) []byte {
	buf = binary.BigEndian.AppendUint32(buf, uint32(r.ID))
	buf = binary.BigEndian.AppendUint64(buf, uint64(r.Offset))
	buf = binary.BigEndian.AppendUint32(buf, uint32(r.Size))
	return append(buf, r.Name...)
}

type Response struct {
	ID   int32
	Code int32
	Data []byte
}

func (*Response) typ() messageType { return messageTypeResponse }
func (r *Response) size() int      { return 8 + len(r.Data) }
func (r *Response) appendTo(buf []byte) []byte {
	buf = binary.BigEndian.AppendUint32(buf, uint32(r.ID))
	buf = binary.BigEndian.AppendUint32(buf, uint32(r.Code))
	return append(buf, r.Data...)
}

type Ping struct{}

func (*Ping) typ() messageType           { return messageTypePing }
func (*Ping) size() int                  { return 0 }
func (*Ping) appendTo(buf []byte) []byte { return buf }

type Close struct {
	Reason string
}

func (*Close) typ() messageType             { return messageTypeClose }
func (c *Close) size() int                  { return len(c.Reason) }
func (c *Close) appendTo(buf []byte) []byte { return append(buf, c.Reason...) }

func decodeMessage(t messageType, buf []byte) (message, error) {
	switch t {
	case messageTypeRequest:
		if len(buf) < 16 {
			return nil, errShortMessage
		}
		return &Request{
			ID:     int32(binary.BigEndian.Uint32(buf)),
			Offset: int64(binary.BigEndian.Uint64(buf[4:])),
			Size:   int32(binary.BigEndian.Uint32(buf[12:])),
			Name:   string(buf[16:]),
		}, nil
	case messageTypeResponse:
		if len(buf) < 8 {
			return nil, errShortMessage
		}
		return &Response{
			ID:   int32(binary.BigEndian.Uint32(buf)),
			Code: int32(binary.BigEndian.Uint32(buf[4:])),
			Data: buf[8:],
		}, nil
	case messageTypePing:
		return &Ping{}, nil
	case messageTypeClose:
		return &Close{Reason: string(buf)}, nil
	default:
		return nil, errors.New("unknown message")
	}
}

type countingWriter struct {
	io.Writer
	tot  int64 // bytes
	last int64 // unix nanos
}

func (c *countingWriter) Write(bs []byte) (int, error) {
	n, err := c.Writer.Write(bs)
	atomic.AddInt64(&c.tot, int64(n))
	atomic.StoreInt64(&c.last, time.Now().UnixNano())
	return n, err
}

func (c *countingWriter) Tot() int64 { return atomic.LoadInt64(&c.tot) }

func (c *countingWriter) Last() time.Time {
	return time.Unix(0, atomic.LoadInt64(&c.last))
}
