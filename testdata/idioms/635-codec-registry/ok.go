// Package codecs has the encodings that plug-ins contribute.
package codecs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sort"
	"strings"
	"sync"
)

// ErrTaken means that a media type already has a codec.
var ErrTaken = errors.New("codecs: media type is taken")

// Codec encodes and decodes values.
type Codec interface {
	Encode(w io.Writer, v any) error
	Decode(r io.Reader, v any) error
}

// JSON is the codec that is always there.
type JSON struct{}

// Encode implements Codec.
func (JSON) Encode(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }

// Decode implements Codec.
func (JSON) Decode(r io.Reader, v any) error { return json.NewDecoder(r).Decode(v) }

const fallback = "application/json"

// Registry maps media types to codecs.
type Registry struct {
	mu     sync.RWMutex
	codecs map[string]Codec
}

// NewRegistry returns a registry with the JSON codec.
func NewRegistry() *Registry {
	return &Registry{codecs: map[string]Codec{fallback: JSON{}}}
}

// Add makes a codec known for a media type.
func (r *Registry) Add(mediaType string, c Codec) error {
	mt, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return fmt.Errorf("codecs: %w", err)
	}
	if c == nil {
		return errors.New("codecs: nil codec")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.codecs[mt]; taken {
		return fmt.Errorf("%w: %s", ErrTaken, mt)
	}
	r.codecs[mt] = c
	return nil
}

// Known says if there is a codec for a media type.
func (r *Registry) Known(mediaType string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, ok := r.codecs[mediaType]
	return ok
}

func (r *Registry) codec(mediaType string) Codec {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.codecs[mediaType]
}

// Types lists the known media types.
func (r *Registry) Types() []string {
	r.mu.RLock()
	types := make([]string, 0, len(r.codecs))
	for mt := range r.codecs {
		types = append(types, mt)
	}
	r.mu.RUnlock()
	sort.Strings(types)
	return types
}

func (r *Registry) negotiate(accept string) string {
	for part := range strings.SplitSeq(accept, ",") {
		mt, _, err := mime.ParseMediaType(part)
		if err == nil && r.Known(mt) {
			return mt
		}
	}
	return fallback
}

// Respond writes a value in an encoding that the client accepts.
func (r *Registry) Respond(w http.ResponseWriter, req *http.Request, v any) error {
	mt := r.negotiate(req.Header.Get("Accept"))
	w.Header().Set("Content-Type", mt)
	if err := r.codec(mt).Encode(w, v); err != nil {
		return fmt.Errorf("codecs: encode %T as %s: %w", v, mt, err)
	}
	return nil
}

// Receive reads a value from a request.
func (r *Registry) Receive(req *http.Request, v any) error {
	mt, _, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err != nil || !r.Known(mt) {
		mt = fallback
	}
	if err := r.codec(mt).Decode(req.Body, v); err != nil {
		return fmt.Errorf("codecs: decode %s: %w", mt, err)
	}
	return nil
}
