package exporter

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

type Point struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Exporter writes points in the format the operator has chosen.
type Exporter struct{ settings }

func (e *Exporter) contentType() string {
	switch e.Format() {
	case JSONLines:
		return "application/x-ndjson"
	case CSV:
		return "text/csv"
	}
	return "text/plain"
}

func (e *Exporter) encode(w io.Writer, pts []Point) error {
	if e.Format() == JSONLines {
		enc := json.NewEncoder(w)
		for _, p := range pts {
			if err := enc.Encode(p); err != nil {
				return err
			}
		}
		return nil
	}
	sep := map[bool]string{true: ",", false: " "}[e.Format() == CSV]
	for _, p := range pts {
		if _, err := fmt.Fprintf(w, "%s%s%g\n", p.Name, sep, p.Value); err != nil {
			return err
		}
	}
	return nil
}

// Export returns the encoded points with the matching content type.
func (e *Exporter) Export(pts []Point) (ctype, body string, err error) {
	var sb strings.Builder
	ctype = e.contentType()
	if err = e.encode(&sb, pts); err != nil {
		return "", "", err
	}
	return ctype, sb.String(), nil
}
