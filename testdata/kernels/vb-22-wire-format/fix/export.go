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

func (f Format) contentType() string {
	switch f {
	case JSONLines:
		return "application/x-ndjson"
	case CSV:
		return "text/csv"
	}
	return "text/plain"
}

func (f Format) encode(w io.Writer, pts []Point) error {
	if f == JSONLines {
		enc := json.NewEncoder(w)
		for _, p := range pts {
			if err := enc.Encode(p); err != nil {
				return err
			}
		}
		return nil
	}
	sep := map[bool]string{true: ",", false: " "}[f == CSV]
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
	f := e.Format()
	ctype = f.contentType()
	if err = f.encode(&sb, pts); err != nil {
		return "", "", err
	}
	return ctype, sb.String(), nil
}
