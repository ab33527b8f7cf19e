package shop

import "strings"

func clean(text string) string {
	text = strings.TrimSpace(text)
	text = strings.ReplaceAll(text, "\t", " ")
	return text
}

func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:most-1] + "…"
}
