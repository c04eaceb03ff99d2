<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>bifocal::ui::Capture</name>
    <message numerus="yes">
        <source>The screen is captured in %n s</source>
        <translation>
            <numerusform>The screen is captured in %n second</numerusform>
            <numerusform>The screen is captured in %n seconds</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>bifocal::ui::CollectionModel</name>
    <message numerus="yes">
        <source>%1, %Ln picture(s)</source>
        <translation>
            <numerusform>%1, %Ln picture</numerusform>
            <numerusform>%1, %Ln pictures</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>bifocal::ui::FailureList</name>
    <message numerus="yes">
        <source>%Ln file(s) could not be read</source>
        <translation>
            <numerusform>%Ln file could not be read</numerusform>
            <numerusform>%Ln files could not be read</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>bifocal::ui::MainWindow</name>
    <message numerus="yes">
        <source>%Ln weaker match(es) can be shown with “all matches”.</source>
        <translation>
            <numerusform>%Ln weaker match can be shown with “all matches”.</numerusform>
            <numerusform>%Ln weaker matches can be shown with “all matches”.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>bifocal::ui::ResultHeader</name>
    <message numerus="yes">
        <source>%Ln picture(s), newest first</source>
        <translation>
            <numerusform>%Ln picture</numerusform>
            <numerusform>%Ln pictures, newest first</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s) in %1, newest first</source>
        <translation>
            <numerusform>%Ln picture in %1</numerusform>
            <numerusform>%Ln pictures in %1, newest first</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln strong</source>
        <translation>
            <numerusform>%Ln strong</numerusform>
            <numerusform>%Ln strong</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln fair</source>
        <translation>
            <numerusform>%Ln fair</numerusform>
            <numerusform>%Ln fair</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln weaker hidden</source>
        <translation>
            <numerusform>%Ln weaker hidden</numerusform>
            <numerusform>%Ln weaker hidden</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>bifocal::ui::Sidebar</name>
    <message numerus="yes">
        <source>%Ln could not be read</source>
        <translation>
            <numerusform>%Ln could not be read</numerusform>
            <numerusform>%Ln could not be read</numerusform>
        </translation>
    </message>
</context>
</TS>
