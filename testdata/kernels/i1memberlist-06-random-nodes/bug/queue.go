package memberlist

import "sync"

const packetSize = 1400

// queue holds the messages that wait for gossip.
type queue struct {
	mu   sync.Mutex
	msgs [][]byte
}

func (q *queue) add(b []byte) {
	q.mu.Lock()
	q.msgs = append(q.msgs, b)
	q.mu.Unlock()
}

// get takes messages of up to limit bytes together.
func (q *queue) get(limit int) (out [][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.msgs) > 0 && len(q.msgs[0]) <= limit {
		limit -= len(q.msgs[0])
		out = append(out, q.msgs[0])
		q.msgs = q.msgs[1:]
	}
	return out
}

// compound packs messages into one packet, with a header newer nodes know.
func compound(version uint8, msgs [][]byte) []byte {
	buf := []byte{byte(len(msgs))}
	if version >= 5 {
		buf = append(buf, version)
	}
	for _, b := range msgs {
		buf = append(buf, byte(len(b)>>8), byte(len(b)))
		buf = append(buf, b...)
	}
	return buf
}
